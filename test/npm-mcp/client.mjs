// client.mjs LIBRARY URL KEY: calls Griot's assistant endpoint with a library, as any application would, and prints what
// it got as JSON.
const [library, url, key] = process.argv.slice(2)
const Authorization = `Bearer ${key}`
const name = 'griot-test'

// The protocol's own TypeScript SDK: its first line, and its second one in each of its modes.
async function own(sdk, options) {
  const client = new sdk.Client({ name, version: '1' }, options)
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization } } }))
  return of(client)
}

// of drives a client of that SDK.
async function of(client) {
  if (!options.versionNegotiation) await client.ping() // the newest version of the protocol has none
  return {
    server: client.getServerVersion().name, tools: async () => (await client.listTools()).tools.map((t) => t.name),
    call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close(),
  }
}

const options = { 'client-auto': { versionNegotiation: { mode: 'auto' } }, 'client-pinned': { versionNegotiation: { mode: { pin: '2026-07-28' } } } }[library] ?? {}
const connect = {
  sdk: async () => own({ ...(await import('@modelcontextprotocol/sdk/client/index.js')), ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')) }),
  client: async () => own(await import('@modelcontextprotocol/client'), options),
  'mcp-remote': async () => { // a bridge for programs that only start programs
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    const client = new Client({ name, version: '1' })
    const { PATH, HOME } = process.env
    await client.connect(new StdioClientTransport({
      command: process.execPath, stderr: 'ignore', env: { PATH, HOME, AUTH: Authorization, BROWSER: 'true' },
      args: ['node_modules/mcp-remote/dist/proxy.js', url, '--allow-http', '--transport', 'http-only', '--header', 'Authorization:${AUTH}'],
    }))
    return of(client)
  },
  'ai-sdk': async () => {
    const { createMCPClient } = await import('@ai-sdk/mcp')
    const client = await createMCPClient({ clientName: name, transport: { type: 'http', url, headers: { Authorization } } })
    const tools = await client.tools()
    return { server: client.serverInfo?.name, tools: () => Object.keys(tools), call: (name, args) => tools[name].execute(args, { messages: [], toolCallId: '1' }), close: () => client.close() }
  },
  mastra: async () => {
    const { MCPClient } = await import('@mastra/mcp')
    const client = new MCPClient({ servers: { griot: { url: new URL(url), requestInit: { headers: { Authorization } } } } })
    const { toolsets, errors } = await client.listToolsetsWithErrors()
    if (Object.keys(errors).length) throw new Error(JSON.stringify(errors))
    return { tools: () => Object.keys(toolsets.griot), call: (name, args) => toolsets.griot[name].execute(args, {}), close: () => client.disconnect() }
  },
  openai: async () => {
    const { MCPServerStreamableHttp } = await import('@openai/agents')
    const server = new MCPServerStreamableHttp({ url, name, requestInit: { headers: { Authorization } } })
    await server.connect()
    return { tools: async () => (await server.listTools()).map((t) => t.name), call: (name, args) => server.callToolResult(name, args), close: () => server.close() }
  },
  langchain: async () => {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters')
    const client = new MultiServerMCPClient({ throwOnLoadError: true, mcpServers: { griot: { transport: 'http', url, headers: { Authorization }, automaticSSEFallback: false } } })
    const tools = await client.getTools()
    return { tools: () => tools.map((t) => t.name), call: (name, args) => tools.find((t) => t.name === name).invoke(args), close: () => client.close() }
  },
}

// text returns what a library shows of a result or an error.
const text = (result) => typeof result === 'string' ? result : result?.content?.map((c) => c.text).join('') ?? JSON.stringify(result)

const client = await connect[library.replace(/-(auto|pinned)$/, '')]()
const tools = await client.tools()
const list = await client.call('list_conversations', { limit: 2 })
const refused = await Promise.resolve(client.call('read_conversation', { conversationId: 'none' })).catch((error) => error.message) // some throw it
if (list.isError || list.structuredContent) throw new Error('isError, or a structured result')
const found = tools.includes('search_messages') ? text(await client.call('search_messages', { q: 'commande' })) : '' // a key with more tools
console.log(JSON.stringify({ server: client.server ?? '', tools, text: text(list), refused: text(refused), found }))
await client.close()
process.exit(0)
