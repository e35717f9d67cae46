/** How a text reaches its recipient. */
export const channels = ['sms', 'whatsapp'] as const;

export type Channel = (typeof channels)[number];
