import { formatTimestamp, type OutboxMessage } from '@gangan/contracts';
import type { OutboxRow } from '../outbox/outbox.repository.js';

export const shownOutboxMessage = (row: OutboxRow): OutboxMessage => ({
  id: row.id,
  ...(row.messageId !== null && { message_id: row.messageId }),
  ...(row.otpId !== null && { otp_id: row.otpId }),
  channel: row.channel,
  sender_id: row.sender,
  recipient: row.recipient,
  text: row.text,
  ...(row.template && {
    template: {
      name: row.template.name,
      language: row.template.language,
      values: [...row.template.values],
    },
  }),
  outcome: row.outcome,
  created_datetime: formatTimestamp(row.createdAt),
});
