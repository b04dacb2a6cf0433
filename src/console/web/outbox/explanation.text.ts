import type { DeadLetterReason, SkipReason, WithdrawalReason } from '../../../reminder/domain/reminder-status.js';
import type { ChannelTexts } from '../text/channel-texts.js';
import type { TranslatedTexts } from '../text/text.js';

/** Sentences that describe the history of a reminder. Their arguments are already formatted for display. */
export type ExplanationTexts = {
  pending: (time: string) => string;
  /** Used instead of `pending` if the recipient has opted out. */
  optedOut: string;
  wasDue: (time: string) => string;
  beingSent: string;
  wasSent: string;
  plannedBefore: (amount: string) => string;
  plannedAfter: (amount: string) => string;
  plannedAtStart: string;
  plannedAfterCreation: (amount: string) => string;
  plannedForHomework: (day: number, time: string, zone: string) => string;
  /** `time`: the start of the Session that was cancelled. */
  plannedForErasure: (time: string) => string;
  plannedBy: (rule: string, anchor: string) => string;
  dayOne: string;
  starts: (time: string) => string;
  /**
   * Used if the clocks change between the reminder and the Session and the rule counts days or weeks: the time of day
   * stays the same.
   */
  clocksKeep: string;
  /**
   * Used if the clocks change between the reminder and the Session and the rule counts smaller units: the time of day
   * differs.
   */
  clocks: string;
  moved: Record<'SESSION' | 'TIME_ZONE', (from: string, to: string) => string>;
  handedOver: (from: string, to: string) => string;
  careProvider: (id: number) => string;
  withdrawn: Record<WithdrawalReason, string>;
  withdrawnFor: (reason: string) => string;
  restored: string;
  quietHours: (until: string) => string;
  busy: (until: string) => string;
  times: (count: number) => string;
  advanced: (until: string) => string;
  rescheduled: (from: string, to: string) => string;
  queued: string;
  queuedAgain: string;
  failed: (attempt: number, channel: string, error: string) => string;
  nextAttempt: (time: string) => string;
  sent: (channel: string) => string;
  late: string;
  fallback: string;
  channels: ChannelTexts;
  someChannel: string;
  skipped: Record<SkipReason, string>;
  skippedFor: (reason: string) => string;
  dead: Record<DeadLetterReason, string>;
  deadFor: (reason: string) => string;
  redriven: string;
};

const en: ExplanationTexts = {
  pending: (time) => `It will be sent on ${time}.`,
  optedOut: 'It will not be sent as long as the recipient does not want this kind of reminder.',
  wasDue: (time) => `According to its rule, it is due on ${time}.`,
  beingSent: 'Its message is being sent.',
  wasSent: 'It was sent.',
  plannedBefore: (amount) => `It was planned for ${amount} before the Session starts.`,
  plannedAfter: (amount) => `It was planned for ${amount} after the Session starts.`,
  plannedAtStart: 'It was planned for the start of the Session.',
  plannedAfterCreation: (amount) => `It was planned for ${amount} after the Session was created.`,
  plannedForHomework: (day, time, zone) => `It was planned for day ${day} of the plan week, at ${time} (${zone}).`,
  plannedForErasure: (time) => `It tells that the Session on ${time} was cancelled, because its Client was erased.`,
  plannedBy: (rule, anchor) => `It was planned by the rule “${rule}”, counted from ${anchor}.`,
  dayOne: 'Day 1 is the day of the Session.',
  starts: (time) => `The Session is planned for ${time}.`,
  clocksKeep:
    'The clocks change in between. The rule counts in days, so the reminder still comes at the usual time of day.',
  clocks: 'The clocks change in between. The rule counts in hours, so the time of day differs.',
  moved: {
    SESSION: (from, to) => `The Session moved. The reminder moved with it, from ${from} to ${to}.`,
    TIME_ZONE: (from, to) => `The recipient’s time zone has changed. The reminder moved from ${from} to ${to}.`,
  },
  handedOver: (from, to) => `The Session was reassigned from ${from} to ${to}.`,
  careProvider: (id) => `Care Provider ${id}`,
  withdrawn: {
    SESSION_CANCELLED: 'It is not sent, because the Session was cancelled.',
    SESSION_OVER: 'It is not sent, because the Session is over.',
    SERIES_PAUSED: 'It is not sent while the series is paused.',
    HOMEWORK_DONE: 'It is not sent, because the homework is done.',
    HOMEWORK_REMOVED: 'It is not sent, because the homework was removed or has other reminders now.',
    RECIPIENT_LEFT: 'It is not sent, because the recipient was deactivated.',
    MISSED: 'It is not sent: its time had passed when the Session was restored.',
    ALREADY_SENT: 'It is not sent again: it has already been sent for the same time.',
  },
  withdrawnFor: (reason) => `It was withdrawn (${reason}).`,
  restored: 'The reason no longer holds, so it will be sent again.',
  quietHours: (until) => `It was due in the recipient’s quiet hours, so it waits until ${until}.`,
  busy: (until) => `The channel was busy. The next attempt is on ${until}.`,
  times: (count) => `This happened ${count} times in a row.`,
  advanced: (until) =>
    `The quiet hours would end too close to the Session, so it is sent in the last minute before they begin, on ${until}.`,
  rescheduled: (from, to) =>
    `The quiet hours or the time zone of the recipient changed. It is sent on ${to} instead of ${from}.`,
  queued: 'It was due, and its message was queued.',
  queuedAgain: 'The queue had lost its message, so it was queued again.',
  failed: (attempt, channel, error) => `Attempt ${attempt} by ${channel} failed${error && ` (${error})`}.`,
  nextAttempt: (time) => `The next attempt is on ${time}.`,
  sent: (channel) => `It was sent by ${channel}.`,
  late: 'The message said that it was late.',
  fallback: 'The recipient’s time zone or language is not supported here, so the Clinic’s was used.',
  channels: { EMAIL: 'e-mail', WEBHOOK: 'webhook', LOG: 'the log' },
  someChannel: 'its channel',
  skipped: {
    OPTED_OUT: 'It was not sent, because the recipient does not want this kind of reminder.',
    TOO_LATE: 'It was not sent, because it was too late.',
    RECIPIENT_GONE: 'It was not sent, because the recipient no longer exists.',
    PAST_WHEN_PLANNED: 'It was not sent: its time had already passed when it was planned.',
    SESSION_STARTED: 'It was not sent, because the Session had started.',
    AFTER_DUE: 'It was not sent, because it was planned for a day after the homework was due.',
    QUIET_HOURS: 'It was not sent: the quiet hours of the recipient leave no time for it before the Session.',
  },
  skippedFor: (reason) => `It was not sent (${reason}).`,
  dead: {
    UNDELIVERABLE: 'It could not be delivered: no channel can reach the recipient.',
    LATENESS_REACHED: 'It could not be delivered: the attempts failed until it was too late.',
    ATTEMPTS_EXHAUSTED: 'It could not be delivered: the service stopped during each attempt.',
  },
  deadFor: (reason) => `It could not be delivered (${reason}).`,
  redriven: 'The Clinic sent it again.',
};

const de: ExplanationTexts = {
  pending: (time) => `Sie wird gesendet: ${time}.`,
  optedOut: 'Sie wird nicht gesendet, solange der Empfänger solche Erinnerungen nicht möchte.',
  wasDue: (time) => `Nach ihrer Regel ist sie fällig: ${time}.`,
  beingSent: 'Ihre Nachricht wird gerade gesendet.',
  wasSent: 'Sie wurde gesendet.',
  plannedBefore: (amount) => `Sie wurde geplant: ${amount} vor dem Beginn der Sitzung.`,
  plannedAfter: (amount) => `Sie wurde geplant: ${amount} nach dem Beginn der Sitzung.`,
  plannedAtStart: 'Sie wurde für den Beginn der Sitzung geplant.',
  plannedAfterCreation: (amount) => `Sie wurde geplant: ${amount} nach dem Anlegen der Sitzung.`,
  plannedForHomework: (day, time, zone) => `Sie wurde für Tag ${day} der Planwoche um ${time} (${zone}) geplant.`,
  plannedForErasure: (time) =>
    `Sie teilt mit, dass die Sitzung ${time} abgesagt wurde, weil die Klientin oder der Klient gelöscht wurde.`,
  plannedBy: (rule, anchor) => `Sie wurde nach der Regel „${rule}“ geplant, gezählt ab: ${anchor}.`,
  dayOne: 'Tag 1 ist der Tag der Sitzung.',
  starts: (time) => `Die Sitzung ist geplant: ${time}.`,
  clocksKeep:
    'Dazwischen wird die Uhr umgestellt. Die Regel zählt Tage, also kommt die Erinnerung zur gewohnten Uhrzeit.',
  clocks: 'Dazwischen wird die Uhr umgestellt. Die Regel zählt Stunden, also ist die Uhrzeit eine andere.',
  moved: {
    SESSION: (from, to) =>
      `Die Sitzung wurde verschoben. Die Erinnerung wurde mit ihr verschoben, von ${from} auf ${to}.`,
    TIME_ZONE: (from, to) =>
      `Die Zeitzone des Empfängers hat sich geändert. Die Erinnerung wurde von ${from} auf ${to} verschoben.`,
  },
  handedOver: (from, to) => `Die Sitzung wurde von ${from} an ${to} übergeben.`,
  careProvider: (id) => `Fachkraft ${id}`,
  withdrawn: {
    SESSION_CANCELLED: 'Sie wird nicht gesendet, weil die Sitzung abgesagt wurde.',
    SESSION_OVER: 'Sie wird nicht gesendet, weil die Sitzung vorbei ist.',
    SERIES_PAUSED: 'Sie wird nicht gesendet, solange die Serie pausiert.',
    HOMEWORK_DONE: 'Sie wird nicht gesendet, weil die Hausaufgabe erledigt ist.',
    HOMEWORK_REMOVED:
      'Sie wird nicht gesendet, weil die Hausaufgabe entfernt wurde oder jetzt andere Erinnerungen hat.',
    RECIPIENT_LEFT: 'Sie wird nicht gesendet, weil der Empfänger deaktiviert wurde.',
    MISSED: 'Sie wird nicht gesendet: Ihre Zeit war vorbei, als die Sitzung wiederhergestellt wurde.',
    ALREADY_SENT: 'Sie wird nicht noch einmal gesendet: Für dieselbe Zeit wurde sie schon gesendet.',
  },
  withdrawnFor: (reason) => `Sie wurde zurückgezogen (${reason}).`,
  restored: 'Der Grund gilt nicht mehr, also wird sie wieder gesendet.',
  quietHours: (until) => `Sie war in der Ruhezeit des Empfängers fällig. Sie wartet bis ${until}.`,
  busy: (until) => `Der Kanal war ausgelastet. Der nächste Versuch: ${until}.`,
  times: (count) => `Das geschah ${count}-mal nacheinander.`,
  advanced: (until) =>
    `Die Ruhezeit würde zu knapp vor der Sitzung enden. Darum wird sie in der letzten Minute vor ihrem Beginn gesendet: ${until}.`,
  rescheduled: (from, to) =>
    `Die Ruhezeit oder die Zeitzone des Empfängers wurde geändert. Gesendet wird ${to} statt ${from}.`,
  queued: 'Sie war fällig, und ihre Nachricht kam in die Warteschlange.',
  queuedAgain: 'Die Warteschlange hatte ihre Nachricht verloren. Sie wurde noch einmal eingereiht.',
  failed: (attempt, channel, error) => `Versuch ${attempt} über ${channel} ist gescheitert${error && ` (${error})`}.`,
  nextAttempt: (time) => `Der nächste Versuch: ${time}.`,
  sent: (channel) => `Sie wurde über ${channel} gesendet.`,
  late: 'Die Nachricht sagte, dass sie verspätet ist.',
  fallback:
    'Die Zeitzone oder Sprache des Empfängers wird hier nicht unterstützt. Darum galten die Einstellungen der Klinik.',
  channels: { EMAIL: 'E-Mail', WEBHOOK: 'Webhook', LOG: 'das Protokoll' },
  someChannel: 'ihren Kanal',
  skipped: {
    OPTED_OUT: 'Sie wurde nicht gesendet, weil der Empfänger solche Erinnerungen nicht möchte.',
    TOO_LATE: 'Sie wurde nicht gesendet, weil es zu spät war.',
    RECIPIENT_GONE: 'Sie wurde nicht gesendet, weil es den Empfänger nicht mehr gibt.',
    PAST_WHEN_PLANNED: 'Sie wurde nicht gesendet: Ihre Zeit war schon vorbei, als sie geplant wurde.',
    SESSION_STARTED: 'Sie wurde nicht gesendet, weil die Sitzung schon begonnen hatte.',
    AFTER_DUE: 'Sie wurde nicht gesendet, weil sie erst nach dem Tag geplant war, an dem die Hausaufgabe fällig war.',
    QUIET_HOURS: 'Sie wurde nicht gesendet: Die Ruhezeit des Empfängers lässt vor der Sitzung keine Zeit dafür.',
  },
  skippedFor: (reason) => `Sie wurde nicht gesendet (${reason}).`,
  dead: {
    UNDELIVERABLE: 'Sie war nicht zustellbar: Kein Kanal erreicht den Empfänger.',
    LATENESS_REACHED: 'Sie war nicht zustellbar: Die Versuche scheiterten, bis es zu spät war.',
    ATTEMPTS_EXHAUSTED: 'Sie war nicht zustellbar: Der Dienst brach bei jedem Versuch ab.',
  },
  deadFor: (reason) => `Sie war nicht zustellbar (${reason}).`,
  redriven: 'Die Klinik hat sie erneut gesendet.',
};

const es: ExplanationTexts = {
  pending: (time) => `Se enviará el ${time}.`,
  optedOut: 'No se enviará mientras el destinatario no quiera este tipo de recordatorio.',
  wasDue: (time) => `Según su regla, le corresponde el ${time}.`,
  beingSent: 'Su mensaje se está enviando.',
  wasSent: 'Se envió.',
  plannedBefore: (amount) => `Se planificó para ${amount} antes del comienzo de la sesión.`,
  plannedAfter: (amount) => `Se planificó para ${amount} después del comienzo de la sesión.`,
  plannedAtStart: 'Se planificó para el comienzo de la sesión.',
  plannedAfterCreation: (amount) => `Se planificó para ${amount} después de crear la sesión.`,
  plannedForHomework: (day, time, zone) =>
    `Se planificó para el día ${day} de la semana del plan, a las ${time} (${zone}).`,
  plannedForErasure: (time) => `Avisa de que la sesión del ${time} se canceló, porque se suprimió a su cliente.`,
  plannedBy: (rule, anchor) => `Se planificó con la regla «${rule}», contada desde: ${anchor}.`,
  dayOne: 'El día 1 es el día de la sesión.',
  starts: (time) => `La sesión está prevista para el ${time}.`,
  clocksKeep:
    'Entre ambos cambia la hora. La regla cuenta en días, así que el recordatorio llega a la hora de siempre.',
  clocks: 'Entre ambos cambia la hora. La regla cuenta en horas, así que la hora del día es otra.',
  moved: {
    SESSION: (from, to) => `La sesión se movió. El recordatorio se movió con ella, del ${from} al ${to}.`,
    TIME_ZONE: (from, to) =>
      `La zona horaria del destinatario ha cambiado. El recordatorio se movió del ${from} al ${to}.`,
  },
  handedOver: (from, to) => `La sesión pasó de ${from} a ${to}.`,
  careProvider: (id) => `Profesional ${id}`,
  withdrawn: {
    SESSION_CANCELLED: 'No se envía, porque la sesión se canceló.',
    SESSION_OVER: 'No se envía, porque la sesión ha terminado.',
    SERIES_PAUSED: 'No se envía mientras la serie está en pausa.',
    HOMEWORK_DONE: 'No se envía, porque la tarea está hecha.',
    HOMEWORK_REMOVED: 'No se envía, porque la tarea se quitó o ahora tiene otros recordatorios.',
    RECIPIENT_LEFT: 'No se envía, porque el destinatario se desactivó.',
    MISSED: 'No se envía: su hora había pasado cuando se restauró la sesión.',
    ALREADY_SENT: 'No se envía otra vez: ya se envió para la misma hora.',
  },
  withdrawnFor: (reason) => `Se retiró (${reason}).`,
  restored: 'El motivo ya no vale, así que se enviará de nuevo.',
  quietHours: (until) => `Tocaba en las horas de silencio del destinatario, así que espera hasta el ${until}.`,
  busy: (until) => `El canal estaba ocupado. El próximo intento es el ${until}.`,
  times: (count) => `Ocurrió ${count} veces seguidas.`,
  advanced: (until) =>
    `Las horas de silencio acabarían demasiado cerca de la sesión, así que se envía en el último minuto antes de que empiecen, el ${until}.`,
  rescheduled: (from, to) =>
    `Cambiaron las horas de silencio o la zona horaria del destinatario. Se envía el ${to} en lugar del ${from}.`,
  queued: 'Llegó su hora, y su mensaje entró en la cola.',
  queuedAgain: 'La cola había perdido su mensaje, así que entró otra vez.',
  failed: (attempt, channel, error) => `El intento ${attempt} por ${channel} falló${error && ` (${error})`}.`,
  nextAttempt: (time) => `El próximo intento es el ${time}.`,
  sent: (channel) => `Se envió por ${channel}.`,
  late: 'El mensaje decía que llegaba tarde.',
  fallback: 'La zona horaria o el idioma del destinatario no se admite aquí, así que se usó el de la clínica.',
  channels: { EMAIL: 'correo', WEBHOOK: 'webhook', LOG: 'el registro' },
  someChannel: 'su canal',
  skipped: {
    OPTED_OUT: 'No se envió, porque el destinatario no quiere este tipo de recordatorio.',
    TOO_LATE: 'No se envió, porque era demasiado tarde.',
    RECIPIENT_GONE: 'No se envió, porque el destinatario ya no existe.',
    PAST_WHEN_PLANNED: 'No se envió: su hora ya había pasado cuando se planificó.',
    SESSION_STARTED: 'No se envió, porque la sesión ya había empezado.',
    AFTER_DUE: 'No se envió, porque estaba previsto para después del día en que vencía la tarea.',
    QUIET_HOURS: 'No se envió: las horas de silencio del destinatario no dejan tiempo antes de la sesión.',
  },
  skippedFor: (reason) => `No se envió (${reason}).`,
  dead: {
    UNDELIVERABLE: 'No se pudo entregar: ningún canal llega al destinatario.',
    LATENESS_REACHED: 'No se pudo entregar: los intentos fallaron hasta que fue demasiado tarde.',
    ATTEMPTS_EXHAUSTED: 'No se pudo entregar: el servicio se detuvo en cada intento.',
  },
  deadFor: (reason) => `No se pudo entregar (${reason}).`,
  redriven: 'La clínica lo envió de nuevo.',
};

const fr: ExplanationTexts = {
  pending: (time) => `Il sera envoyé le ${time}.`,
  optedOut: 'Il ne sera pas envoyé tant que le destinataire ne veut pas de ce genre de rappel.',
  wasDue: (time) => `Selon sa règle, il est prévu le ${time}.`,
  beingSent: 'Son message est en cours d’envoi.',
  wasSent: 'Il a été envoyé.',
  plannedBefore: (amount) => `Il a été prévu ${amount} avant le début de la séance.`,
  plannedAfter: (amount) => `Il a été prévu ${amount} après le début de la séance.`,
  plannedAtStart: 'Il a été prévu pour le début de la séance.',
  plannedAfterCreation: (amount) => `Il a été prévu ${amount} après la création de la séance.`,
  plannedForHomework: (day, time, zone) =>
    `Il a été prévu pour le jour ${day} de la semaine du plan, à ${time} (${zone}).`,
  plannedForErasure: (time) => `Il annonce que la séance du ${time} a été annulée, car son client a été effacé.`,
  plannedBy: (rule, anchor) => `Il a été prévu par la règle « ${rule} », comptée depuis : ${anchor}.`,
  dayOne: 'Le jour 1 est le jour de la séance.',
  starts: (time) => `La séance est prévue le ${time}.`,
  clocksKeep: 'L’heure change entre les deux. La règle compte en jours : le rappel arrive à l’heure habituelle.',
  clocks: 'L’heure change entre les deux. La règle compte en heures : l’heure de la journée est différente.',
  moved: {
    SESSION: (from, to) => `La séance a été déplacée. Le rappel a suivi, du ${from} au ${to}.`,
    TIME_ZONE: (from, to) => `Le fuseau horaire du destinataire a changé. Le rappel a été déplacé du ${from} au ${to}.`,
  },
  handedOver: (from, to) => `La séance est passée de ${from} à ${to}.`,
  careProvider: (id) => `Soignant ${id}`,
  withdrawn: {
    SESSION_CANCELLED: 'Il n’est pas envoyé, car la séance a été annulée.',
    SESSION_OVER: 'Il n’est pas envoyé, car la séance est terminée.',
    SERIES_PAUSED: 'Il n’est pas envoyé tant que la série est en pause.',
    HOMEWORK_DONE: 'Il n’est pas envoyé, car le devoir est fait.',
    HOMEWORK_REMOVED: 'Il n’est pas envoyé, car le devoir a été retiré ou a maintenant d’autres rappels.',
    RECIPIENT_LEFT: 'Il n’est pas envoyé, car le destinataire a été désactivé.',
    MISSED: 'Il n’est pas envoyé : son heure était passée quand la séance a été rétablie.',
    ALREADY_SENT: 'Il n’est pas envoyé de nouveau : il l’a déjà été pour la même heure.',
  },
  withdrawnFor: (reason) => `Il a été retiré (${reason}).`,
  restored: 'La raison n’est plus valable : il sera de nouveau envoyé.',
  quietHours: (until) => `Il était prévu dans les heures calmes du destinataire : il attend jusqu’au ${until}.`,
  busy: (until) => `Le canal était occupé. Prochain essai le ${until}.`,
  times: (count) => `Cela s’est produit ${count} fois de suite.`,
  advanced: (until) =>
    `Les heures calmes finiraient trop près de la séance : il part dans la dernière minute avant leur début, le ${until}.`,
  rescheduled: (from, to) =>
    `Les heures calmes ou le fuseau horaire du destinataire ont changé. Il part le ${to} au lieu du ${from}.`,
  queued: 'Son heure est venue, et son message est entré dans la file d’attente.',
  queuedAgain: 'La file d’attente avait perdu son message : il y est entré de nouveau.',
  failed: (attempt, channel, error) => `L’essai ${attempt} par ${channel} a échoué${error && ` (${error})`}.`,
  nextAttempt: (time) => `Prochain essai le ${time}.`,
  sent: (channel) => `Il a été envoyé par ${channel}.`,
  late: 'Le message disait qu’il était en retard.',
  fallback:
    'Le fuseau horaire ou la langue du destinataire n’est pas pris en charge ici : celui de la clinique a été utilisé.',
  channels: { EMAIL: 'e-mail', WEBHOOK: 'webhook', LOG: 'le journal' },
  someChannel: 'son canal',
  skipped: {
    OPTED_OUT: 'Il n’a pas été envoyé, car le destinataire ne veut pas de ce genre de rappel.',
    TOO_LATE: 'Il n’a pas été envoyé, car il était trop tard.',
    RECIPIENT_GONE: 'Il n’a pas été envoyé, car le destinataire n’existe plus.',
    PAST_WHEN_PLANNED: 'Il n’a pas été envoyé : son heure était déjà passée quand il a été prévu.',
    SESSION_STARTED: 'Il n’a pas été envoyé, car la séance avait commencé.',
    AFTER_DUE: 'Il n’a pas été envoyé, car il était prévu après le jour où les devoirs étaient à rendre.',
    QUIET_HOURS: 'Il n’a pas été envoyé : les heures calmes du destinataire ne laissent pas de temps avant la séance.',
  },
  skippedFor: (reason) => `Il n’a pas été envoyé (${reason}).`,
  dead: {
    UNDELIVERABLE: 'Il n’a pas pu être remis : aucun canal n’atteint le destinataire.',
    LATENESS_REACHED: 'Il n’a pas pu être remis : les essais ont échoué jusqu’à ce qu’il soit trop tard.',
    ATTEMPTS_EXHAUSTED: 'Il n’a pas pu être remis : le service s’est arrêté à chaque essai.',
  },
  deadFor: (reason) => `Il n’a pas pu être remis (${reason}).`,
  redriven: 'La clinique l’a renvoyé.',
};

export const explanationText: TranslatedTexts<ExplanationTexts> = { en, de, es, fr };
