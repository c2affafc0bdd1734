using System.ComponentModel;
using System.ComponentModel.DataAnnotations;
using System.Diagnostics.CodeAnalysis;

namespace Weir.Runtime;

/// <summary>One object while its members are validated. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[SuppressMessage("Performance", "CA1815", Justification = "Never compared.")]
public readonly struct ObjectValidation
{
    internal ObjectValidation(ValidationContext context, string displayName, Func<string, string> jsonName, int errorsBefore)
    {
        Context = context;
        DisplayName = displayName;
        JsonName = jsonName;
        ErrorsBefore = errorsBefore;
    }

    /// <summary>What attributes see; one for all members, which are evaluated one after the other.</summary>
    internal ValidationContext Context { get; }

    internal string DisplayName { get; }

    internal Func<string, string> JsonName { get; }

    /// <summary>How many errors there were before the object.</summary>
    internal int ErrorsBefore { get; }
}
