import { defineTexts } from '../text/text.js';

export const clientExportText = defineTexts(
  {
    title: 'Your data',
    intro: 'Your record, Sessions, homework, reminders and settings, and the requests that have read or changed them.',
    titleOfClient: 'Data of this Client',
    introOfClient:
      'The record, Sessions, homework, reminders and settings of this Client, and the requests that have read or changed them.',
    page: 'Download as a web page',
    document: 'Download as JSON',
    done: 'Downloaded.',
  },
  {
    de: {
      title: 'Ihre Daten',
      intro:
        'Ihre Stammdaten, Sitzungen, Hausaufgaben, Erinnerungen und Einstellungen, und wer sie gelesen oder geändert hat.',
      titleOfClient: 'Daten dieses Klienten',
      introOfClient:
        'Stammdaten, Sitzungen, Hausaufgaben, Erinnerungen und Einstellungen dieses Klienten, und wer sie gelesen oder geändert hat.',
      page: 'Als Webseite herunterladen',
      document: 'Als JSON herunterladen',
      done: 'Heruntergeladen.',
    },
    es: {
      title: 'Sus datos',
      intro: 'Sus datos personales, sesiones, tareas, recordatorios y ajustes, y quién los ha leído o cambiado.',
      titleOfClient: 'Datos de este cliente',
      introOfClient:
        'Los datos personales, sesiones, tareas, recordatorios y ajustes de este cliente, y quién los ha leído o cambiado.',
      page: 'Descargar como página web',
      document: 'Descargar como JSON',
      done: 'Descargado.',
    },
    fr: {
      title: 'Vos données',
      intro: 'Vos données personnelles, séances, devoirs, rappels et réglages, et qui les a lus ou modifiés.',
      titleOfClient: 'Données de ce client',
      introOfClient:
        'Les données personnelles, séances, devoirs, rappels et réglages de ce client, et qui les a lus ou modifiés.',
      page: 'Télécharger comme page web',
      document: 'Télécharger en JSON',
      done: 'Téléchargé.',
    },
  },
);
