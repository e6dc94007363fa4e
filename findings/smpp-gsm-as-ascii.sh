#!/usr/bin/env bash
# Topic: the data_coding of text in SMPP messages, and an SMPP library for Node.
#
# Version: smpp 0.5.1, from npm.
# Date: 2026-11-29.
#
# A good guess: data_coding 1 is IA5 (ASCII), as SMPP 3.4 §5.2.19 says, so a receiver can decode the octets as ASCII.
#
# Observed: the library's encoding for data_coding 1 is the GSM alphabet of 3GPP TS 23.038, with its own octets for @ (00),
# é (05), _ (11), $ (02), and the Greek letters. A center made with it labels each such text as ASCII. Decoded by its label,
# "a@b" loses its @, "café" its é, and an ID with _ in a delivery receipt matches nothing. The octets decide: 00 to 1F, but
# for the line's end, can only be letters of the GSM alphabet.
#
# Output:
#   "Bonjour"  data_coding 1, octets 426f6e6a6f7572
#   "café"     data_coding 1, octets 63616605
#   "a@b"      data_coding 1, octets 610062
#   "id:a_1"   data_coding 1, octets 69643a611131
#   "não"      data_coding 3, octets 6ee36f
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund smpp@0.5.1

cat >check.js <<'JS'
const smpp = require("smpp");

for (const text of ["Bonjour", "café", "a@b", "id:a_1", "não"]) {
  const octets = new smpp.PDU("deliver_sm", { short_message: text }).toBuffer();
  const length = smpp.PDU.fromBuffer(octets).sm_length ?? [...text].length;
  const start = octets.length - length;
  console.log(`${JSON.stringify(text).padEnd(11)}data_coding ${octets[start - 3]}, octets ${octets.subarray(start).toString("hex")}`);
}
JS
node check.js | tee output

diff output - <<'WANT'
"Bonjour"  data_coding 1, octets 426f6e6a6f7572
"café"     data_coding 1, octets 63616605
"a@b"      data_coding 1, octets 610062
"id:a_1"   data_coding 1, octets 69643a611131
"não"      data_coding 3, octets 6ee36f
WANT
echo "unchanged"
