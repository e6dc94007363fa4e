// Letters of all alphabets in the basic plane, written out for browsers whose expressions know no \p{L}.

const letters = "A-Za-z\\u00aa\\u00b5\\u00ba\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u1fff\\u2c00-\\u2dff\\u3040-\\ud7ff\\uf900-\\ufdff";
const letter = new RegExp(`^[${letters}]`);
const letterOrDigit = new RegExp(`[${letters}0-9]`);

export function beginsWithLetter(word) {
  return letter.test(word);
}

export function isLetterOrDigit(character) {
  return letterOrDigit.test(character);
}
