using System.Globalization;
using System.Text;
using System.Text.Json;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary><c>weir events</c>.</summary>
/// <param name="session">The dashboard.</param>
/// <param name="console">Where they are printed.</param>
internal sealed class Events(DashboardSession session, CommandConsole console)
{
    private const int MostLine = 1024 * 1024;
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(2);

    // The last event that was printed; null before the first.
    private string? _last;

    // What was wrong at the last tick: its sentences by what they are about.
    private Dictionary<string, string> _findings = [];

    /// <summary>Prints them until it is cancelled. A connection that is lost is made again, and what happened until then is printed.</summary>
    /// <exception cref="DashboardException">There is no first answer.</exception>
    public async Task<int> RunAsync(bool isJson, CancellationToken cancellationToken)
    {
        var hasBegun = false;
        while (true)
        {
            try
            {
                using var response = await session.OpenAsync(_last is null ? "events" : $"events?after={_last}", "text/event-stream", cancellationToken);
                hasBegun = true;
                await using var body = await response.Content.ReadAsStreamAsync(cancellationToken);
                if (!await ReadAsync(body, isJson, cancellationToken))
                {
                    // What ends a stream without saying so may do it again at once.
                    await Task.Delay(Pause, console.Time, cancellationToken);
                }
            }
            catch (Exception failure) when (hasBegun && failure is DashboardException { IsPassing: true } or IOException or HttpRequestException)
            {
                cancellationToken.ThrowIfCancellationRequested();
                await console.Error.WriteLineAsync($"weir: the connection is lost, and made again: {failure.Message}");
                await Task.Delay(Pause, console.Time, cancellationToken);
            }
        }
    }

    // Whether the server has ended it.
    private async Task<bool> ReadAsync(Stream body, bool isJson, CancellationToken cancellationToken)
    {
        var (kind, id) = ("", "");
        await foreach (var line in StreamLines.ReadAsync(body, MostLine, cancellationToken))
        {
            var text = Encoding.UTF8.GetString(line.Span);
            switch (text.Split(": ", 2))
            {
                case ["id", var value]:
                    id = value;
                    break;
                case ["event", var value]:
                    kind = value;
                    break;
                case ["data", var value]:
                    await PrintAsync(kind, value, isJson);
                    _last = kind switch { "event" => id, "hello" => _last ?? Number(value, "events"), _ => _last };
                    break;
            }
        }

        return kind == "end";
    }

    private async Task PrintAsync(string kind, string data, bool isJson)
    {
        if (kind == "event")
        {
            await console.Out.WriteLineAsync(isJson ? data : Line(JsonMembers.Parse(Encoding.UTF8.GetBytes(data)) ?? default));
        }
        else if (kind == "tick" && !isJson)
        {
            await CompareAsync(JsonMembers.Parse(Encoding.UTF8.GetBytes(data)) ?? default);
        }
    }

    private async Task CompareAsync(JsonElement record)
    {
        var found = new Dictionary<string, string>();
        foreach (var finding in JsonMembers.List(record, "findings") ?? [])
        {
            var about = $"{JsonMembers.Text(finding, "kind")} {JsonMembers.Text(finding, "pool")} {JsonMembers.Text(finding, "op")} {JsonMembers.Text(finding, "subject")}";
            var symbol = JsonMembers.Text(finding, "severity") switch { "failing" => "✗", "waiting" => "!", _ => "i" };
            found[about] = $"{symbol} {JsonMembers.Text(finding, "sentence")}";
        }

        var at = At(record);
        foreach (var (about, sentence) in found.Where(one => !_findings.ContainsKey(one.Key)))
        {
            await console.Out.WriteLineAsync($"{at} {sentence}");
        }

        foreach (var (about, sentence) in _findings.Where(one => !found.ContainsKey(one.Key)))
        {
            await console.Out.WriteLineAsync($"{at} ✓ it is over: {sentence}");
        }

        _findings = found;
    }

    private static string Line(JsonElement happened)
    {
        var line = new StringBuilder($"{At(happened)} {JsonMembers.Text(happened, "pool")} {Number(happened, "pid")} {JsonMembers.Text(happened, "event")}");
        if (JsonMembers.Text(happened, "end") is { } end)
        {
            line.Append(CultureInfo.InvariantCulture, $": {end}");
        }

        if (JsonMembers.Text(happened, "report") is { } report)
        {
            line.Append(CultureInfo.InvariantCulture, $", report {report}");
        }

        return line.ToString();
    }

    private static string At(JsonElement record) => JsonMembers.Fraction(record, "t") is { } seconds ? DateTimeOffset.UnixEpoch.AddSeconds(seconds).ToLocalTime().ToString("HH:mm:ss", CultureInfo.InvariantCulture) : "";

    private static string? Number(string json, string name) => JsonMembers.Parse(Encoding.UTF8.GetBytes(json)) is { } record ? Number(record, name) : null;

    private static string? Number(JsonElement record, string name) => JsonMembers.Number(record, name)?.ToString(CultureInfo.InvariantCulture);
}
