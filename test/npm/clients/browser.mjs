// signIn is the person and their browser: it opens the application's authorization address, sends the words (the sandbox
// does), and polls until it is sent back. It returns that address.
export async function signIn(url, phone = '22300000001') {
  const issuer = new URL(url).origin
  const started = await fetch(url, { redirect: 'manual' })
  if (started.status !== 303) throw new Error(`/authorize answers ${started.status}: ${await started.text()}`)
  const cookie = started.headers.getSetCookie().map((c) => c.split(';')[0]).join('; ')
  const loginKeyId = new URL(started.headers.get('location'), issuer).searchParams.get('loginKeyId')
  const proved = await fetch(`${issuer}/authorize/sandbox`, {
    method: 'POST',
    headers: { cookie, origin: issuer, 'content-type': 'application/json' },
    body: JSON.stringify({ loginKeyId, phoneE164: phone }),
  })
  if (proved.status !== 201) throw new Error(`/authorize/sandbox answers ${proved.status}: ${await proved.text()}`)
  const status = await (await fetch(`${issuer}/authorize/status?loginKeyId=${loginKeyId}`, { headers: { cookie } })).json()
  if (status.status !== 'VERIFIED') throw new Error(`the login is ${status.status}`)
  return new URL(status.redirectUrl)
}
