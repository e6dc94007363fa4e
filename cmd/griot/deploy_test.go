package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"example.com/griot/internal/config"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

// deployed is the configuration of Griot in an example in deploy/.
type deployed struct {
	args     []string
	env      map[string]string
	settings string        // the text of griot.yaml
	grace    time.Duration // between SIGTERM and the kill
	ports    map[string]string
}

// composeFile is the part of deploy/compose.yaml that the test reads.
type composeFile struct {
	Services map[string]struct {
		Image     string
		Command   []string
		Env       map[string]string `yaml:"environment"`
		Configs   []struct{ Source, Target string }
		Secrets   []string
		Volumes   []string
		Networks  []string
		StopGrace time.Duration `yaml:"stop_grace_period"`
	}
	Configs  map[string]struct{ Content string }
	Secrets  map[string]struct{ File string }
	Volumes  map[string]any
	Networks map[string]struct {
		IPAM struct{ Config []struct{ Subnet string } }
	}
}

// kubernetesObject is the part of an object in deploy/kubernetes that the test reads.
type kubernetesObject struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Ports []struct {
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Spec struct {
				Grace      int `yaml:"terminationGracePeriodSeconds"`
				Containers []struct {
					Args []string
					Env  []struct {
						Name      string
						Value     string
						ValueFrom struct {
							SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
						} `yaml:"valueFrom"`
					}
					Ports []struct {
						Name string
						Port int `yaml:"containerPort"`
					}
					StartupProbe   kubernetesProbe `yaml:"startupProbe"`
					ReadinessProbe kubernetesProbe `yaml:"readinessProbe"`
					LivenessProbe  kubernetesProbe `yaml:"livenessProbe"`
				}
			}
		}
	}
}

type kubernetesProbe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// The examples are not run, but the program has everything that they use.
func TestDeploy_ExamplesFitTheProgram(t *testing.T) {
	examples := map[string]deployed{"compose.yaml": readCompose(t), "kubernetes/griot.yaml": readKubernetes(t)}
	for name, d := range examples {
		for _, mistake := range mistakes(t, d) {
			t.Errorf("%s: %s", name, mistake)
		}
	}
	for what, plant := range map[string]func(d *deployed){
		"a flag":     func(d *deployed) { d.args = append(slices.Clone(d.args), "--fast") },
		"a command":  func(d *deployed) { d.args = []string{"start"} },
		"a variable": func(d *deployed) { d.env["GRIOT_LOG_COLOUR"] = "blue" },
		"a setting":  func(d *deployed) { d.settings += "colour: blue\n" },
		"a port":     func(d *deployed) { d.ports["api"] = ":8090" },
		"the grace":  func(d *deployed) { d.grace = 30 * time.Second },
	} {
		d := examples["kubernetes/griot.yaml"]
		d.env, d.ports = maps.Clone(d.env), maps.Clone(d.ports)
		plant(&d)
		if found := mistakes(t, d); len(found) != 1 {
			t.Errorf("with %s that is wrong: %q, want one mistake", what, found)
		}
	}
}

// docker compose resolves the paths of a file relative to its directory, and the documented commands put the key there.
func TestDeploy_ComposeFindsTheKey(t *testing.T) {
	t.Parallel()
	var f composeFile
	decodeDeploy(t, "compose.yaml", func(d *yaml.Decoder) error { return d.Decode(&f) })
	page, err := os.ReadFile("../../docs/operating/install.md")
	systemtest.Must(t, err)
	commands := regexp.MustCompile(`openssl rand -base64 32 > (\S+) .*chown 65532:65532 (\S+)\n.*docker compose -f (\S+) up`).FindStringSubmatch(string(page))
	if commands == nil {
		t.Fatal("docs/operating/install.md has no commands for docker compose")
	}
	want := filepath.Join(filepath.Dir(commands[3]), f.Secrets["master_key"].File)
	if made, owned := filepath.Clean(commands[1]), filepath.Clean(commands[2]); made != want || owned != want {
		t.Errorf("the key is written to %s and given to its user at %s, and docker compose looks for %s", made, owned, want)
	}
}

// mistakes returns the differences from the program.
func mistakes(t *testing.T, d deployed) (found []string) {
	t.Helper()
	c, rest, err := root().Find(d.args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil && (c.Name() != "serve" || len(c.Flags().Args()) > 0 || c.Flag("config").Value.String() != "/etc/griot/griot.yaml") {
		err = fmt.Errorf("%q does not serve with the settings of the example", d.args)
	}
	if err != nil {
		found = append(found, err.Error())
	}
	secrets := t.TempDir()
	key := filepath.Join(secrets, "key")
	if err := os.WriteFile(key, []byte(seal.NewMasterKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(secrets, "griot.yaml")
	text := strings.NewReplacer("/var/lib/griot", secrets, "/run/secrets/master_key", key, "/run/secrets/griot/master.key", key).Replace(d.settings)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var env []string
	for name, value := range d.env {
		if !strings.HasPrefix(name, config.Prefix) {
			found = append(found, name+" is no variable of Griot's")
		}
		env = append(env, name+"="+value)
	}
	cfg, err := loadConfig(file, env)
	if err != nil {
		return append(found, err.Error())
	}
	if diff := cmp.Diff(map[string]string{"api": cfg.API.Listen, "auth": cfg.Auth.Listen, "probe": cfg.Probe.Listen}, d.ports); diff != "" {
		found = append(found, "ports (-of the settings +of the example):\n"+diff)
	}
	if least := cfg.DrainDelay + 45*time.Second; d.grace < least {
		found = append(found, fmt.Sprintf("it is killed after %s, want %s or more", d.grace, least))
	}
	return found
}

func readCompose(t *testing.T) deployed {
	t.Helper()
	var f composeFile
	decodeDeploy(t, "compose.yaml", func(d *yaml.Decoder) error { return d.Decode(&f) })
	d := deployed{ports: map[string]string{"probe": ":9090"}} // no other program uses the probe's port
	for name, s := range f.Services {
		if s.Image == "" {
			t.Errorf("%s has no image", name)
		}
		for _, c := range s.Configs {
			if f.Configs[c.Source].Content == "" {
				t.Errorf("%s takes %s, which there is not", name, c.Source)
			}
		}
		for _, secret := range s.Secrets {
			if f.Secrets[secret].File == "" {
				t.Errorf("%s takes the secret %s, which there is not", name, secret)
			}
		}
		for _, v := range s.Volumes {
			if volume, _, _ := strings.Cut(v, ":"); !slices.Contains(slices.Collect(maps.Keys(f.Volumes)), volume) {
				t.Errorf("%s takes the volume %s, which there is not", name, volume)
			}
		}
	}
	s := f.Services["griot"]
	d.args, d.env, d.grace, d.settings = s.Command, s.Env, s.StopGrace, f.Configs["settings"].Content
	for name, host := range map[string]string{"api": "api.example.com", "auth": "login.example.com"} {
		_, after, _ := strings.Cut(f.Configs["proxy"].Content, host+" {\n  reverse_proxy griot")
		d.ports[name], _, _ = strings.Cut(after, " ")
	}
	if subnet := f.Networks["inside"].IPAM.Config[0].Subnet; !strings.Contains(d.settings, "trusted_proxies: ["+subnet+"]") {
		t.Errorf("the proxy's network %s is not trusted", subnet)
	}
	return d
}

func readKubernetes(t *testing.T) deployed {
	t.Helper()
	d := deployed{env: map[string]string{}, ports: map[string]string{}}
	var kinds, targets []string
	decodeDeploy(t, "kubernetes/griot.yaml", func(in *yaml.Decoder) error {
		for {
			var o kubernetesObject
			if err := in.Decode(&o); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			kinds = append(kinds, o.Kind)
			switch o.Kind {
			case "ConfigMap":
				d.settings = o.Data["griot.yaml"]
			case "Service":
				for _, p := range o.Spec.Ports {
					targets = append(targets, p.TargetPort)
				}
			case "Deployment":
				pod := o.Spec.Template.Spec
				c := pod.Containers[0]
				d.args, d.grace = c.Args, time.Duration(pod.Grace)*time.Second
				for _, v := range c.Env {
					d.env[v.Name] = v.Value
					if v.ValueFrom.SecretKeyRef.Key == "database" {
						d.env[v.Name] = "postgres://griot@database/griot"
					}
				}
				for _, p := range c.Ports {
					d.ports[p.Name] = fmt.Sprintf(":%d", p.Port)
				}
				paths := []string{c.StartupProbe.HTTPGet.Path, c.ReadinessProbe.HTTPGet.Path, c.LivenessProbe.HTTPGet.Path}
				if diff := cmp.Diff([]string{"/readyz", "/readyz", "/livez"}, paths); diff != "" {
					t.Errorf("the probes (-want +got):\n%s", diff)
				}
				for _, p := range []kubernetesProbe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
					if p.HTTPGet.Port != "probe" {
						t.Errorf("%s is asked at %q", p.HTTPGet.Path, p.HTTPGet.Port)
					}
				}
			}
		}
	})
	if diff := cmp.Diff([]string{"ConfigMap", "Deployment", "Service", "PodDisruptionBudget", "Ingress"}, kinds); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	for _, target := range targets {
		if d.ports[target] == "" {
			t.Errorf("the service goes to port %s, which there is not", target)
		}
	}
	return d
}

// decodeDeploy reads a file of deploy/.
func decodeDeploy(t *testing.T, name string, decode func(*yaml.Decoder) error) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(content, []byte("# Not run: ")) {
		t.Errorf("%s does not say that it is not run", name)
	}
	if err := decode(yaml.NewDecoder(bytes.NewReader(content))); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
