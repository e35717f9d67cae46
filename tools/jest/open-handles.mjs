import { setTimeout } from 'node:timers';

/** The end of the shared system of the e2e tests takes a while on a busy machine. */
const patience = 60_000;

/** Ends the run if something that a test left open keeps Jest alive, and names it: a hung run would otherwise last until CI gives up. */
export default class OpenHandles {
  onRunComplete(_contexts, { success }) {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests are over, but Jest could not end because of: ${open}\n`);
      process.exit(success ? 0 : 1);
    }, patience).unref();
  }
}
