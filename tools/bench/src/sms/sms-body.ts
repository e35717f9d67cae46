/** The body of `POST /sms/send` to so many numbers, for which the simulator has no script. */
export const smsBody = (recipients: number) => ({
  recipients: Array.from({ length: recipients }, (_, index) => `0803${1_000_000 + index}`).join(','),
  content: 'Your order has left.',
});
