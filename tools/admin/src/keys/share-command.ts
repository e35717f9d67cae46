import { Argument, type Command } from 'commander';
import { setFlag } from '../organisations/organisation-flag.js';
import { addCommand, type AdminSession } from '../session/session.js';

type Sharing = 'fairly' | 'freely';

export function addShareCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'share <organisation>',
    'decide how the keys of an organisation share its rate; every gateway follows within 5 s',
    ['acme/live fairly'],
    `fairly: a key may use all of the rate, but at most half of it while another key was in use within the last 10 s. A key
and its successor count as one. freely: one key may use up all of it. New organisations share fairly.`,
  )
    .addArgument(new Argument('<how>').choices(['fairly', 'freely'] satisfies Sharing[]))
    .action(async (given: string, how: Sharing) => {
      const organisation = await session.organisation(given);
      const result = await setFlag(session, organisation, 'fairKeys', how === 'fairly');
      session.done(`The keys of ${organisation.label} share its rate ${how}.`, result);
    });
}
