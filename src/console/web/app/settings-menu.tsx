import { useText } from '../text/text.js';
import { Menu, SegmentedControl } from '../ui/choice.js';
import { appearance, LANGUAGES, setLanguage, setTheme, THEMES, type Language } from './appearance.js';
import { appText } from './app.text.js';
import { useStore } from './store.js';

/** A menu for language and theme. The choice is stored on this device. */
export function SettingsMenu() {
  const text = useText(appText);
  const { language, theme } = useStore(appearance);
  return (
    <Menu label={text.settings} icon="sun">
      <p class="menu-title">{text.theme}</p>
      <SegmentedControl
        label={text.theme}
        value={theme}
        options={THEMES.map((value) => ({ value, label: text.themes[value] }))}
        onChange={setTheme}
      />
      <p class="menu-title">{text.language}</p>
      <SegmentedControl
        label={text.language}
        value={language}
        options={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
        onChange={setLanguage}
      />
    </Menu>
  );
}
