import type { CarefulClient } from './careful-client.js';
import type { CallbackReceiver } from './callback-receiver.js';
import type { Customer } from './carry-out.js';
import type { Organisation } from '../system/organisations.js';
import type { IntentOf } from './intents.js';

/** The recipients of the smartlist of each organisation. */
export const smartlistNumbers = Array.from(
  { length: 20 },
  (_, index) => `+2348039${String(index).padStart(6, '0')}`,
);
/** One row has no number, and one number occurs twice. */
const rows = ['', ...smartlistNumbers, smartlistNumbers.at(-1) ?? ''];

/** Gives each organisation a callback URL, contacts and a smartlist. */
export const prepareCustomers = (
  organisations: readonly Organisation[],
  client: CarefulClient,
  receiver: CallbackReceiver,
): Promise<Customer[]> =>
  Promise.all(
    organisations.map(async (organisation) => {
      const { apiKey, id, callbackSecret } = organisation;
      const table = (await client.read('/lists/contact', apiKey)) as {
        columns: readonly { readonly id: string; readonly name: string }[];
      };
      const column = (name: string): string => table.columns.find((one) => one.name === name)?.id ?? '';
      const columns = { Name: column('Name'), Email: column('Email'), Mobile: column('Mobile') };
      const intent: IntentOf<'contact'> = {
        kind: 'contact',
        ref: `prepare-${id}`,
        atMs: 0,
        organisation: 0,
        asksAgain: false,
      };
      const post = async (step: string, path: string, body: object): Promise<unknown> => {
        const answer = await client.send({ intent, step, method: 'POST', path, body }, apiKey);
        if (answer.status !== 200) throw new Error(`Preparing ${path} got ${answer.status} ${answer.text}`);
        return answer.body;
      };
      await Promise.all(
        rows.map((number, index) =>
          post(`row-${index}`, '/lists/contact/rows', {
            columns: { [columns.Name]: `Listed ${index}`, [columns.Mobile]: number },
          }),
        ),
      );
      const smartlist = await post('smartlist', '/lists/contact/smartlists', {
        name: 'Listed',
        filters: [{ name: 'Name', operator: 'start_with', value: 'Listed' }],
      });
      return {
        ...organisation,
        columns,
        smartlistId: (smartlist as { id: string }).id,
        callbackUrl: receiver.urlFor(id, callbackSecret),
      };
    }),
  );
