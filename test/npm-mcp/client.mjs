// client.mjs LIBRARY URL KEY: calls Griot's assistant endpoint as any application would, and prints what it got as JSON.
// LIBRARY is sdk (the first line of the protocol's TypeScript SDK), client, or client-auto (the second line; auto asks for the newest protocol first).
const [library, url, key] = process.argv.slice(2)
const sdk = library === 'sdk'
  ? { ...(await import('@modelcontextprotocol/sdk/client/index.js')), ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')) }
  : await import('@modelcontextprotocol/client')

const options = library === 'client-auto' ? { versionNegotiation: { mode: 'auto' } } : {}
const client = new sdk.Client({ name: 'griot-test', version: '1' }, options)
const headers = key ? { Authorization: `Bearer ${key}` } : {}
const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
await client.connect(transport)
await client.ping()
const { tools } = await client.listTools()
const list = await client.callTool({ name: 'list_conversations', arguments: { limit: 2 } })
const refused = await client.callTool({ name: 'read_conversation', arguments: { conversationId: 'none' } })
if (list.isError || !refused.isError || list.structuredContent) throw new Error('isError, or a structured result')
let unknown = 0
try {
  await client.callTool({ name: 'nonsense', arguments: {} })
} catch (error) {
  unknown = error.code
}
console.log(JSON.stringify({
  version: transport.protocolVersion ?? '', server: client.getServerVersion().name, tools: tools.map((t) => t.name),
  text: list.content[0].text, refused: refused.content[0].text, unknown,
}))
await client.close()
