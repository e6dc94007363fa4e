// Runs NextAuth.js as an API route and a page of Next do, in Express: next-auth.mjs OPTIONS.
import express from 'express'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { default: NextAuth, getServerSession } = createRequire(import.meta.url)('next-auth')
const { options } = await import(resolve(process.argv[2]))

const app = express()
app.use(express.urlencoded())
app.use((request, response, next) => {
  const cookies = (request.headers.cookie ?? '').split('; ').filter(Boolean).map((cookie) => cookie.split('='))
  request.cookies = Object.fromEntries(cookies.map(([name, ...value]) => [name, decodeURIComponent(value.join('='))]))
  next()
})
app.all('/api/auth/*nextauth', (request, response) => {
  const query = { ...request.query, nextauth: request.params.nextauth }
  return NextAuth(Object.create(request, { query: { value: query } }), response, options)
})
app.use(async (request, response) => {
  const session = await getServerSession(request, response, options)
  response.status(session ? 200 : 401).json(session?.user)
})
app.listen(new URL(process.env.NEXTAUTH_URL).port, '127.0.0.1')
