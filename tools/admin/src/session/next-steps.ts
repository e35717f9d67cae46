import type { NextStep } from '@gangan/management';

/** The end of a refusal: the command with which an operator goes on. `{subject}` is what it is about. */
export const nextSteps: Readonly<Record<NextStep, string>> = {
  list_organisations: ' (see `pnpm admin organisations list`).',
  suspend_organisation: ' with `pnpm admin organisations suspend {subject}`.',
  list_keys: ', as `pnpm admin keys list <organisation>` shows them.',
  name_scopes: ', such as --scopes sms,otp, or --scopes all.',
  issue_key: ': issue a new one with `pnpm admin keys issue`.',
  rotate_successor: ': rotate its successor, or issue a new one with `pnpm admin keys issue`.',
  list_approvals: ': `pnpm admin approvals` lists them.',
  list_numbers: ': see `pnpm admin numbers list`.',
  unassign_number: ': use `pnpm admin numbers unassign` first.',
  list_providers: ': see `pnpm admin providers list`.',
  show_provider: '. See `pnpm admin providers show {subject}`.',
  set_provider: ': change it with `pnpm admin providers set`.',
  replace_secrets: ', or give all of them again with `pnpm admin providers set {subject} --secret`.',
  rotate_token: ', or replace it with --rotate.',
  name_sender: ': --sender.',
  end_purchases:
    '. Run `pnpm admin providers disable {subject}`, wait until they have ended (those in error: `pnpm admin airtime unresolved`), and try again; or add the other account under another name.',
  try_again: '. Run the command again.',
  list_inbound: ': see `pnpm admin inbound list`.',
  list_parked: ': `pnpm admin queues parked {subject}` lists them.',
  list_registrations: ': see `pnpm admin senders registrations`.',
  set_account: ' (--set accountId=…).',
  decide_sender: ': use `pnpm admin senders approve`, `reject` or `unregister`.',
  list_unresolved: ' (see `pnpm admin airtime unresolved`).',
  enable_provider: ': run `pnpm admin providers enable {subject}` first.',
  name_file: ', and name it with --file.',
  end_earlier: '. If the report changes while it is read, use a --to at least two hours ago.',
  list_imports: ': see `registry list`.',
  force_import: '. Repeat the command with --force to replace it, or run `registry discard {subject}`.',
};
