import { callbackOptionsHelp } from './callbacks/callback-options.js';
import { benchCallbacks } from './callbacks/callbacks.js';
import { benchContacts } from './contacts/contacts.js';
import { contactsOptionsHelp } from './contacts/contacts-options.js';
import { optionsHelp, UsageError } from './options.js';
import { benchOtp } from './otp/otp.js';
import { otpOptionsHelp } from './otp/otp-options.js';
import { benchSms } from './sms/sms.js';
import { smsOptionsHelp } from './sms/sms-options.js';
import { benchTransport } from './transport.js';

const help = `pnpm bench <what> [options]

  transport   bare Fastify, direct SQL, one BullMQ job per request, this transport,
              and batches without a queue; on Redis and on Postgres
  callbacks   what hosts that hang cost those that do not
  contacts    what queries cost among many rows, beside the same among few
  otp         requesting and verifying OTPs, beside one statement without a queue
  sms         sending messages, beside one statement without a queue; and what one
              organisation's many recipients cost another
${optionsHelp}${callbackOptionsHelp}${contactsOptionsHelp}${otpOptionsHelp}${smsOptionsHelp}`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

let run: { close(): Promise<void> } | undefined;
const interruption = new AbortController();
const interrupt = (): void => {
  interruption.abort();
  say('stopping');
  void (run?.close() ?? Promise.resolve()).finally(() => process.exit(130));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);

const [what, ...args] = process.argv.slice(2);
try {
  if (what === undefined || args.includes('--help') || what === '--help') say(help);
  else if (what === 'transport')
    process.exitCode = await benchTransport(args, say, (started) => {
      run = started;
    });
  else if (what === 'callbacks')
    process.exitCode = await benchCallbacks(args, say, (started) => {
      run = started;
    });
  else if (what === 'contacts')
    process.exitCode = await benchContacts(args, say, (started) => {
      run = started;
    });
  else if (what === 'otp')
    process.exitCode = await benchOtp(args, say, (started) => {
      run = started;
    });
  else if (what === 'sms')
    process.exitCode = await benchSms(args, say, (started) => {
      run = started;
    });
  else throw new UsageError(`There is no bench called "${what}"`);
} catch (error) {
  if (!interruption.signal.aborted) complain(error);
}

function complain(error: unknown): void {
  const usage = error instanceof UsageError;
  process.stderr.write(usage ? `${error.message}\n\n${help}` : `${String(error)}\n`);
  process.exitCode = usage ? 2 : 1;
}
