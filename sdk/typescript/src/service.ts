import { Caller, type CallOptions, newKey, type Options } from './call.js'
import { ArgumentError } from './errors.js'
import type { Result } from './types.js'

/** Service holds what all calls of the messaging API share. */
export abstract class Service {
  /** @internal */
  protected readonly caller: Caller

  /**
   * A client of the service at an address such as https://api.example.com, with a key. An {@link ArgumentError} says
   * that one of them cannot be one.
   */
  constructor(baseUrl: string, key: string, options: Options = {}) {
    if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) {
      throw new ArgumentError('key', 'the key is empty, or holds characters that no key has')
    }
    this.caller = new Caller(baseUrl, { authorization: `Bearer ${key}` }, options)
  }

  /** @internal */
  protected get<T>(path: string, o: CallOptions): Promise<T> {
    return this.caller.json({ method: 'GET', path, ...o }) as Promise<T>
  }

  /** @internal */
  protected post<T>(path: string, body: object | undefined, o: CallOptions, more: { idempotencyKey?: string; once?: boolean } = {}): Promise<T> {
    return this.caller.json({ method: 'POST', path, body: body && JSON.stringify(body), ...more, ...o }) as Promise<T>
  }

  /** @internal */
  protected put<T>(path: string, body: object, o: CallOptions, more: { once?: boolean } = {}): Promise<T> {
    return this.caller.json({ method: 'PUT', path, body: JSON.stringify(body), ...more, ...o }) as Promise<T>
  }

  /**
   * Has a message accepted under its idempotency key, or a new one. Only this call's tries have a key of its own: what
   * they find is not a replay.
   * @internal
   */
  protected async accept(path: string, message: { idempotencyKey?: string | null }, o: CallOptions): Promise<Result> {
    const idempotencyKey = message.idempotencyKey || newKey()
    const result = await this.post<Result>(path, { ...message, idempotencyKey }, o, { idempotencyKey })
    if (!message.idempotencyKey) delete result.deduplicated
    return { ...result, idempotencyKey }
  }
}

/** pages yields what is on a page and on those after it. */
export async function* pages<F extends { cursor?: string }, P extends { nextCursor: string | null }, T>(
  filter: F,
  next: (filter: F) => Promise<P>,
  items: (page: P) => T[],
): AsyncGenerator<T, void, undefined> {
  for (let f = filter; ; ) {
    const page = await next(f)
    yield* items(page)
    if (!page.nextCursor) return
    if (page.nextCursor === f.cursor) throw new Error('the service leads from a page to itself')
    f = { ...f, cursor: page.nextCursor }
  }
}
