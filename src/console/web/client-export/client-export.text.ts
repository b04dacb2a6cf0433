import { defineTexts } from '../text/text.js';

export const clientExportText = defineTexts(
  {
    title: 'Your data',
    intro: 'Everything that the service holds about you, with the requests that have read or changed it.',
    titleOfClient: 'Data of this Client',
    introOfClient:
      'Everything that the service holds about this Client, with the requests that have read or changed it.',
    page: 'Download as a web page',
    document: 'Download as JSON',
    done: 'Downloaded.',
  },
  {
    de: {
      title: 'Ihre Daten',
      intro: 'Alles, was der Dienst über Sie speichert, und wer es gelesen oder geändert hat.',
      titleOfClient: 'Daten dieses Klienten',
      introOfClient: 'Alles, was der Dienst über diesen Klienten speichert, und wer es gelesen oder geändert hat.',
      page: 'Als Webseite herunterladen',
      document: 'Als JSON herunterladen',
      done: 'Heruntergeladen.',
    },
    es: {
      title: 'Sus datos',
      intro: 'Todo lo que el servicio guarda sobre usted, y quién lo ha leído o cambiado.',
      titleOfClient: 'Datos de este cliente',
      introOfClient: 'Todo lo que el servicio guarda sobre este cliente, y quién lo ha leído o cambiado.',
      page: 'Descargar como página web',
      document: 'Descargar como JSON',
      done: 'Descargado.',
    },
    fr: {
      title: 'Vos données',
      intro: 'Tout ce que le service conserve sur vous, et qui l’a lu ou modifié.',
      titleOfClient: 'Données de ce client',
      introOfClient: 'Tout ce que le service conserve sur ce client, et qui l’a lu ou modifié.',
      page: 'Télécharger comme page web',
      document: 'Télécharger en JSON',
      done: 'Téléchargé.',
    },
  },
);
