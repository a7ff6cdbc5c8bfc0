export const AdministratorsOnly = () => (
  <p id="alert" class="alert" role="alert">
    Only administrators can open this page.
  </p>
);
