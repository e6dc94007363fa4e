// Writes the types of the OpenAPI documents to src/generated.
import { writeFile } from 'node:fs/promises'
import openapiTS, { astToString } from 'openapi-typescript'

/** typesOf returns the types of a document. */
export async function typesOf(name) {
  const types = await openapiTS(new URL(`../../../openapi/${name}.yaml`, import.meta.url), { defaultNonNullable: false, silent: true })
  return `// Made from openapi/${name}.yaml by \`npm run generate\`; do not edit.\n\n${astToString(types)}`
}

export const documents = ['auth', 'messaging']

export function pathOf(name) {
  return new URL(`../src/generated/${name}.ts`, import.meta.url)
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const name of documents) await writeFile(pathOf(name), await typesOf(name))
}
