/** One of each kind; together they hold every field. */
export const sendSmsExamples = {
  text: {
    recipients: '08031234567, +2348059876543',
    sender_id: 'Gangan',
    channel: 'sms',
    content: 'Your order has left: https://example.com/orders/17',
    external_ref: 'order-17',
    is_trackable: true,
    callback: 'https://example.com/callbacks',
  },
  template: {
    recipients: '08031234567',
    template_id: '01900000-0000-7000-8000-000000000006',
    personalisation: [{ to: '08031234567', substitutions: { name: 'Ada' } }],
  },
  smartlist: {
    smartlist_id: '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42',
    phone_column: 'Mobile',
    content: 'Dear {{Name}}, the shop is open on Sunday.',
  },
};
