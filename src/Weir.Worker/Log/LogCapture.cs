using System.Collections;
using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Weir.Protocol.Payloads;

namespace Weir.Worker.Log;

/// <summary>Copies what a log record has beyond its text, on the thread that logs: the objects may change later. What the user's code throws here is part of the text.</summary>
internal sealed class LogCapture
{
    // The most UTF-16 units of all values and scopes of a record together.
    private const int MostText = 32 << 10;

    private const string OriginalFormat = "{OriginalFormat}";

    private int _left = MostText;

    private LogCapture()
    {
    }

    /// <returns><c>null</c> for a record that is only text.</returns>
    public static LogDetails? Of<TState>(TState state, IExternalScopeProvider scopes)
    {
        var capture = new LogCapture();
        var (template, values) = capture.Split(state as IEnumerable<KeyValuePair<string, object?>>);
        var open = capture.Scopes(scopes);
        var activity = Activity.Current;
        return template.Length == 0 && values.Count == 0 && open.Count == 0 && activity is null
            ? null
            : new LogDetails
            {
                Template = template,
                Values = values,
                Scopes = open,
                TraceId = activity is { IdFormat: ActivityIdFormat.W3C } ? activity.TraceId.ToHexString() : "",
                SpanId = activity is { IdFormat: ActivityIdFormat.W3C } ? activity.SpanId.ToHexString() : "",
            };
    }

    private List<LogScope> Scopes(IExternalScopeProvider scopes)
    {
        var open = new List<LogScope>();
        scopes.ForEachScope(
            static (scope, all) =>
            {
                if (all.open.Count < LogDetails.MostScopes)
                {
                    var (_, values) = all.capture.Split(scope as IEnumerable<KeyValuePair<string, object?>>);
                    all.open.Add(new LogScope(all.capture.Cut(TextOf(scope)), values));
                }
            },
            (capture: this, open));
        return open;
    }

    private (string Template, List<LogValue> Values) Split(IEnumerable<KeyValuePair<string, object?>>? pairs)
    {
        var template = "";
        var values = new List<LogValue>();
        try
        {
            foreach (var (name, value) in pairs ?? [])
            {
                if (name == OriginalFormat)
                {
                    template = Cut(TextOf(value));
                }
                else if (values.Count < LogDetails.MostValues)
                {
                    values.Add(Of(Cut(name), value));
                }
            }
        }
        catch (Exception hostile)
        {
            values.Add(new LogValue("Error", LogValueKind.Text, $"The values threw {hostile.GetType().FullName}."));
        }

        return (template, values);
    }

    private LogValue Of(string name, object? value) => value switch
    {
        null => new LogValue(name, LogValueKind.Null, ""),
        bool truth => new LogValue(name, LogValueKind.Boolean, truth ? "true" : "false"),
        sbyte or byte or short or ushort or int or uint or long => new LogValue(name, LogValueKind.Integer, TextOf(value)),
        float or double => new LogValue(name, LogValueKind.Number, TextOf(value)),
        _ => new LogValue(name, LogValueKind.Text, Cut(TextOf(value))),
    };

    private string Cut(string text)
    {
        var kept = text.Length <= _left ? text : text[.._left];
        _left -= kept.Length;
        return kept;
    }

    private static string TextOf(object? value)
    {
        try
        {
            return value switch
            {
                null => "",
                string text => text,
                DateTime or DateTimeOffset or DateOnly or TimeOnly => ((IFormattable)value).ToString("O", CultureInfo.InvariantCulture),
                IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
                IEnumerable<KeyValuePair<string, object?>> => value.ToString() ?? "",
                IEnumerable items => string.Join(", ", items.Cast<object?>().Take(LogDetails.MostValues).Select(TextOf)),
                _ => value.ToString() ?? "",
            };
        }
        catch (Exception hostile)
        {
            return $"The value threw {hostile.GetType().FullName}.";
        }
    }
}
