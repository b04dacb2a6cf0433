/**
 * The names of all channels, in the order in which they are tried if neither the recipient nor the Clinic has chosen
 * any.
 */
export const CHANNEL_NAMES = ['EMAIL', 'WEBHOOK', 'LOG'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];
