using System.Globalization;
using Weir.Runtime;

namespace Weir.Jobs.Payloads;

/// <summary>The key by which jobs of a kind take turns.</summary>
internal static class JobKey
{
    /// <summary>The most characters of a key, so that an index of the store holds it.</summary>
    public const int MostLength = 200;

    /// <summary>The key of a call: the argument that its kind names, as text.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <returns><c>null</c> where the kind names none.</returns>
    public static string? Of(Call call) => call.Operation.Job!.KeyParameter is { } index
        ? call.GetArgument(index) switch
        {
            null => "",
            string text => text,
            IFormattable value => value.ToString(null, CultureInfo.InvariantCulture),
            var value => value.ToString() ?? "",
        }
        : null;
}
