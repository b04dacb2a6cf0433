import type { ChannelTexts } from '../text/channel-texts.js';
import { defineTexts, formatPlural } from '../text/text.js';

const englishChannels: ChannelTexts = { EMAIL: 'E-mail', WEBHOOK: 'Webhook', LOG: 'Log' };

export const messageText = defineTexts(
  {
    ahead: 'The message as it will be sent',
    sent: 'The message as it was sent',
    unsent: 'The message as it would be sent',
    note: 'The text contains no names and no address. The secret part of the link that stops reminders is hidden.',
    sentNote: 'Language, time zone and titles are those of today.',
    together: (count: number) =>
      formatPlural('en', count, {
        one: 'It also contains # other reminder.',
        other: 'It also contains # other reminders.',
      }),
    late: 'It says that it is late.',
    unreachable: 'No channel can reach this person: there is no e-mail address.',
    channels: englishChannels,
  },
  {
    de: {
      ahead: 'Die Nachricht, wie sie gesendet wird',
      sent: 'Die Nachricht, wie sie gesendet wurde',
      unsent: 'Die Nachricht, wie sie gesendet würde',
      note: 'Der Text enthält keine Namen und keine Adresse. Der geheime Teil des Abmelde-Links ist verborgen.',
      sentNote: 'Sprache, Zeitzone und Titel sind die von heute.',
      together: (count) =>
        formatPlural('de', count, {
          one: 'Sie enthält auch # andere Erinnerung.',
          other: 'Sie enthält auch # andere Erinnerungen.',
        }),
      late: 'Sie sagt, dass sie verspätet ist.',
      unreachable: 'Kein Kanal erreicht diese Person: Es gibt keine E-Mail-Adresse.',
      channels: { EMAIL: 'E-Mail', WEBHOOK: 'Webhook', LOG: 'Protokoll' },
    },
    es: {
      ahead: 'El mensaje tal como se enviará',
      sent: 'El mensaje tal como se envió',
      unsent: 'El mensaje tal como se enviaría',
      note: 'El texto no contiene nombres ni direcciones. La parte secreta del enlace de baja está oculta.',
      sentNote: 'El idioma, la zona horaria y los títulos son los de hoy.',
      together: (count) =>
        formatPlural('es', count, {
          one: 'También contiene otro recordatorio.',
          other: 'También contiene otros # recordatorios.',
        }),
      late: 'Dice que llega tarde.',
      unreachable: 'Ningún canal llega a esta persona: no hay dirección de correo.',
      channels: { EMAIL: 'Correo', WEBHOOK: 'Webhook', LOG: 'Registro' },
    },
    fr: {
      ahead: 'Le message tel qu’il sera envoyé',
      sent: 'Le message tel qu’il a été envoyé',
      unsent: 'Le message tel qu’il serait envoyé',
      note: 'Le texte ne contient ni nom ni adresse. La partie secrète du lien de désinscription est masquée.',
      sentNote: 'La langue, le fuseau horaire et les titres sont ceux d’aujourd’hui.',
      together: (count) =>
        formatPlural('fr', count, {
          one: 'Il contient aussi # autre rappel.',
          other: 'Il contient aussi # autres rappels.',
        }),
      late: 'Il indique qu’il est en retard.',
      unreachable: 'Aucun canal ne joint cette personne : elle n’a pas d’adresse e-mail.',
      channels: { EMAIL: 'E-mail', WEBHOOK: 'Webhook', LOG: 'Journal' },
    },
  },
);
