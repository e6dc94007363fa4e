package fakewhatsapp

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const maxMedia = 64 << 20

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMedia))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	hash := sha256.Sum256(body)
	id := base64.RawURLEncoding.EncodeToString(hash[:])
	s.mu.Lock()
	s.media[id] = body
	s.mu.Unlock()
	_, _ = fmt.Fprintf(w, `{"url":"https://mmg.whatsapp.net/v/%s?ccb=1","direct_path":"/v/%s?ccb=1"}`, id, id)
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	body, ok := s.media[strings.TrimPrefix(r.URL.Path, "/v/")]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(body)
}
