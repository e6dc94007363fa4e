#!/usr/bin/env bash
# Topic: phone numbers with something behind them, as spreadsheets and file managers leave it (.0, -2, (2)), and libraries
# that validate phone numbers.
#
# Versions: libphonenumber-js 1.13.16, google-libphonenumber 3.2.47, and awesome-phonenumber 7.8.0, from npm.
# Date: 2026-11-29.
#
# A good guess: a validator refuses +4930123456.0, the text that a spreadsheet's number column becomes, or ignores the
# decimal. In countries with one length of numbers, it is refused, so a test with such a number passes.
#
# Observed: the dot, the dash, and the brackets are separators, and the digit behind them is one of the number. Where numbers
# have several lengths (Germany, Austria), the result is another number, and all three libraries call it valid. A message
# then goes to a stranger. A last group of one digit must be refused before a library reads the number.
#
# Output:
#   +4930123456        libphonenumber-js +4930123456 valid; google +4930123456 valid; awesome +4930123456 valid
#   +4930123456.0      libphonenumber-js +49301234560 valid; google +49301234560 valid; awesome +49301234560 valid
#   +4930123456-2      libphonenumber-js +49301234562 valid; google +49301234562 valid; awesome +49301234562 valid
#   +4930123456 (2)    libphonenumber-js +49301234562 valid; google +49301234562 valid; awesome +49301234562 valid
#   +43512123456.0     libphonenumber-js +435121234560 valid; google +435121234560 valid; awesome +435121234560 valid
#   +22376000001.0     libphonenumber-js +223760000010 invalid; google +223760000010 invalid; awesome +223760000010 invalid
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund libphonenumber-js@1.13.16 google-libphonenumber@3.2.47 awesome-phonenumber@7.8.0

cat >check.js <<'JS'
const js = require("libphonenumber-js/max");
const google = require("google-libphonenumber").PhoneNumberUtil.getInstance();
const awesome = require("awesome-phonenumber");

const verdict = (e164, valid) => `${e164} ${valid ? "valid" : "invalid"}`;
for (const typed of ["+4930123456", "+4930123456.0", "+4930123456-2", "+4930123456 (2)", "+43512123456.0", "+22376000001.0"]) {
  const a = js.parsePhoneNumberFromString(typed);
  const b = google.parse(typed);
  const c = awesome.parsePhoneNumber(typed);
  console.log(`${typed.padEnd(19)}libphonenumber-js ${verdict(a.number, a.isValid())}; google ${verdict(google.format(b, 0), google.isValidNumber(b))}; awesome ${verdict(c.number.e164, c.valid)}`);
}
JS
node check.js | tee output

diff output - <<'WANT'
+4930123456        libphonenumber-js +4930123456 valid; google +4930123456 valid; awesome +4930123456 valid
+4930123456.0      libphonenumber-js +49301234560 valid; google +49301234560 valid; awesome +49301234560 valid
+4930123456-2      libphonenumber-js +49301234562 valid; google +49301234562 valid; awesome +49301234562 valid
+4930123456 (2)    libphonenumber-js +49301234562 valid; google +49301234562 valid; awesome +49301234562 valid
+43512123456.0     libphonenumber-js +435121234560 valid; google +435121234560 valid; awesome +435121234560 valid
+22376000001.0     libphonenumber-js +223760000010 invalid; google +223760000010 invalid; awesome +223760000010 invalid
WANT
echo "unchanged"
