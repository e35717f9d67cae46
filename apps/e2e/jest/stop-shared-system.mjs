import { stop } from './shared-system.mjs';

const isEndToEnd = ({ context }) => context.config.displayName?.name === 'e2e';

/** Stops the shared system when the e2e files, which run first, are over: it would slow down the other tests. */
export default class StopSharedSystem {
  #running = 0;
  #others = false;

  onTestFileStart(test) {
    if (isEndToEnd(test)) this.#running += 1;
    else this.#others = true;
    this.#stopIfUnused();
  }

  onTestFileResult(test) {
    if (isEndToEnd(test)) this.#running -= 1;
    this.#stopIfUnused();
  }

  #stopIfUnused() {
    // Jest's global teardown calls it again, and reports its error.
    if (this.#others && this.#running === 0) stop().catch(() => undefined);
  }
}
