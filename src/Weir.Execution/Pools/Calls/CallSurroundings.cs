using System.Diagnostics;
using System.Globalization;
using Weir.Execution.Threading;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// What is sent to a worker of the flow that makes a call. Most calls need nothing: a worker is started with the same environment and so
/// has the culture that the host had before its code chose another one.
/// </summary>
internal static class CallSurroundings
{
    // null where code had chosen a culture for all threads before the first call: then it is sent with each.
    private static readonly Lazy<(CultureInfo Culture, CultureInfo UI)?> OfProcess = new(ReadOfProcess);

    // The last culture that was sent without anything else: for an application in one culture there is no other. Any thread.
    private static volatile CallContext? _lastCulture;

    /// <summary>Captures it on the caller's flow.</summary>
    /// <param name="call">The call.</param>
    /// <param name="activity">The activity of the flow; <c>null</c> for none.</param>
    /// <returns><c>null</c> for nothing.</returns>
    public static CallContext? Capture(Call call, Activity? activity)
    {
        var (culture, ui) = (CultureInfo.CurrentCulture, CultureInfo.CurrentUICulture);
        var own = OfProcess.Value;
        var isOwn = own is { } process && IsSame(culture, process.Culture) && IsSame(ui, process.UI);
        var hasItems = call.Context is { HasItems: true } && (call.Operation.UsesContext || call.Operation.ResultKind == ResultKind.Raw || call.Operation.Service.IsForeign);
        if (isOwn && !hasItems && activity is null)
        {
            return null;
        }

        var items = hasItems ? Texts(call.Context!.Items) : null;
        var baggage = activity is null ? null : Baggage(activity);
        return items is { Count: > 0 } || baggage is not null ? Create(isOwn ? null : culture, ui, baggage ?? [], items ?? [])
            : isOwn ? null
            : OnlyCulture(culture, ui);
    }

    private static bool IsSame(CultureInfo one, CultureInfo other) => ReferenceEquals(one, other) || one.Name == other.Name;

    private static CallContext OnlyCulture(CultureInfo culture, CultureInfo ui) =>
        _lastCulture is { } last && last.Culture == culture.Name && last.UICulture == ui.Name ? last : _lastCulture = Create(culture, ui, [], []);

    private static CallContext Create(CultureInfo? culture, CultureInfo ui, IReadOnlyList<KeyValuePair<string, string>> baggage, IReadOnlyList<KeyValuePair<string, string>> items) => new()
    {
        Culture = culture?.Name,
        UICulture = culture is null ? null : ui.Name,
        Baggage = baggage,
        Items = items,
    };

    private static List<KeyValuePair<string, string>> Texts(IDictionary<object, object?> items)
    {
        var texts = new List<KeyValuePair<string, string>>();
        foreach (var (key, value) in items)
        {
            if (key is string name && value is string text && texts.Count < ushort.MaxValue)
            {
                texts.Add(new(name, text));
            }
        }

        return texts;
    }

    private static List<KeyValuePair<string, string>>? Baggage(Activity activity)
    {
        List<KeyValuePair<string, string>>? pairs = null;
        foreach (var (key, value) in activity.Baggage)
        {
            if (value is not null && (pairs is null || pairs.Count < ushort.MaxValue))
            {
                (pairs ??= []).Add(new(key, value));
            }
        }

        return pairs;
    }

    // A thread of its own has the culture that the process was started with, whatever the flow that makes the call has chosen.
    private static (CultureInfo, CultureInfo)? ReadOfProcess()
    {
        if (CultureInfo.DefaultThreadCurrentCulture is not null || CultureInfo.DefaultThreadCurrentUICulture is not null)
        {
            return null;
        }

        (CultureInfo, CultureInfo)? found = null;
        var thread = Callbacks.CreateThread("Weir culture", 0, _ => found = (CultureInfo.CurrentCulture, CultureInfo.CurrentUICulture), static (_, _) => { });
        thread.UnsafeStart();
        thread.Join();
        return found;
    }
}
