#!/usr/bin/env bash
# Topic: WhatsApp's business-scoped user IDs (ML.9001) and LIDs (digits@lid), and libraries that validate phone numbers.
#
# Versions: libphonenumber-js 1.13.16, google-libphonenumber 3.2.47, and awesome-phonenumber 7.8.0, from npm.
# Date: 2026-11-28.
#
# A good guess: a validator refuses an ID, because it begins with a country's letters and a dot. So code that checks the
# sender of a message with it falls back to the ID exactly when there is no number.
#
# Observed: the letters are dropped as punctuation around a number. An ID whose digits have the length of a national number
# of its country is a *valid* number for all three libraries, even with letters after the digits, and a LID is one for
# libphonenumber-js. libphonenumber-js contradicts itself: its isPossiblePhoneNumber refuses the same text. A reply then
# goes to a stranger. The form of an ID must be tested first, and an ID never normalized.
#
# Output:
#   ML.76000001         libphonenumber-js +22376000001 valid, possible false; google +22376000001 valid; awesome +22376000001 valid
#   ML.76000001aB       libphonenumber-js +22376000001 valid, possible false; google +22376000001 valid; awesome +22376000001 valid
#   US.12025550123      libphonenumber-js +12025550123 valid, possible false; google +12025550123 valid; awesome +12025550123 valid
#   12025550123@lid     libphonenumber-js +12025550123 valid, possible false; google refused; awesome refused
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

const describe = (read) => {
  try {
    return read() ?? "refused";
  } catch {
    return "refused";
  }
};
for (const [id, region] of [["ML.76000001", "ML"], ["ML.76000001aB", "ML"], ["US.12025550123", "US"], ["12025550123@lid", "US"]]) {
  const a = describe(() => {
    const number = js.parsePhoneNumberFromString(id, region);
    return number && `${number.number} ${number.isValid() ? "valid" : "invalid"}`;
  });
  const b = describe(() => {
    const number = google.parse(id, region);
    return `${google.format(number, 0)} ${google.isValidNumber(number) ? "valid" : "invalid"}`;
  });
  const c = describe(() => {
    const found = awesome.parsePhoneNumber(id, { regionCode: region });
    return found.valid ? `${found.number.e164} valid` : undefined;
  });
  console.log(`${id.padEnd(20)}libphonenumber-js ${a}, possible ${js.isPossiblePhoneNumber(id, region)}; google ${b}; awesome ${c}`);
}
JS
node check.js | tee output

diff output - <<'WANT'
ML.76000001         libphonenumber-js +22376000001 valid, possible false; google +22376000001 valid; awesome +22376000001 valid
ML.76000001aB       libphonenumber-js +22376000001 valid, possible false; google +22376000001 valid; awesome +22376000001 valid
US.12025550123      libphonenumber-js +12025550123 valid, possible false; google +12025550123 valid; awesome +12025550123 valid
12025550123@lid     libphonenumber-js +12025550123 valid, possible false; google refused; awesome refused
WANT
echo "unchanged"
