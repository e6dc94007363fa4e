import { Account } from './account.js'
import { follow, type ListenOptions, type StreamEvent } from './listen.js'

/**
 * Client calls one messaging API with one key. A call that gets no answer, or an answer to try again later, is repeated
 * where that is safe. Messages' texts, codes, and keys are in no error.
 */
export class Client extends Account {
  /**
   * The account's events as they happen, beside their delivery to its endpoint. A live key gets all events, a test key
   * those of simulated messages. A connection that is lost is made again, and goes on behind the last event. The
   * iteration ends when the signal aborts, or with a GriotError when the service refuses the key.
   */
  listen(o: ListenOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return follow(this.caller, o)
  }
}
