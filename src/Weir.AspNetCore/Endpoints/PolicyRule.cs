namespace Weir.AspNetCore.Endpoints;

/// <summary>Which endpoints need a policy.</summary>
internal enum PolicyRule
{
    /// <summary>Outside of development, unless it says that anyone may call it.</summary>
    OutsideDevelopment,

    /// <summary>Outside of development. In development those without one answer direct requests from the machine only; none is open to anyone.</summary>
    LocalInDevelopment,

    /// <summary>Everywhere, and not one that admits everyone who is authenticated.</summary>
    Always,
}
