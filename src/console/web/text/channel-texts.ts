import type { ChannelName } from '../../../reminder/channel/channel-names.js';

/** The text for each channel in one language. A response can name a channel that another release of the service has. */
export type ChannelTexts = Readonly<Record<ChannelName, string> & Record<string, string>>;
