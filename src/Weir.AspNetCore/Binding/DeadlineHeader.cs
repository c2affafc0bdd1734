using System.Globalization;
using Microsoft.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>Reads <c>Weir-Deadline-Ms</c>: how long the caller waits, from now on.</summary>
internal static class DeadlineHeader
{
    internal const string Name = "Weir-Deadline-Ms";

    /// <summary>What the caller asked for, after <see cref="Read"/> has found nothing wrong; <c>null</c> where it sets no limit.</summary>
    internal static TimeSpan? Asked(IHeaderDictionary headers) =>
        headers.TryGetValue(Name, out var values) && int.TryParse(values[0], NumberStyles.None, CultureInfo.InvariantCulture, out var milliseconds) ? TimeSpan.FromMilliseconds(milliseconds) : null;

    /// <summary>The limit; <c>null</c> where the caller sets none. What is wrong becomes a binding error.</summary>
    internal static TimeSpan? Read(IHeaderDictionary headers, BindingErrorList errors)
    {
        if (!headers.TryGetValue(Name, out var values))
        {
            return null;
        }

        if (values.Count == 1 && int.TryParse(values[0], NumberStyles.None, CultureInfo.InvariantCulture, out var milliseconds))
        {
            return TimeSpan.FromMilliseconds(milliseconds);
        }

        errors.Source = "header";
        errors.Add(Name, values.Count > 1 ? BindingErrorReason.Duplicate : BindingErrorReason.Invalid, "a whole number of milliseconds from 0 to 2147483647, once");
        return null;
    }
}
