using System.Diagnostics;
using System.Text.Json;

namespace Weir.Dashboard.Tests;

/// <summary>Reads what is shown, as a person or a program does: again and again until it is there.</summary>
internal static class Observer
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    /// <summary>A finding that is in effect, by its kind; waited for.</summary>
    public static Task<JsonElement> FindingAsync(DashboardApplication application, string kind) => FindAsync(async () =>
        (await application.SnapshotAsync()).GetProperty("findings").EnumerateArray().FirstOrDefault(one => one.GetProperty("kind").GetString() == kind));

    /// <summary>A call of <see cref="Faulty.Hang"/>, whose code has begun.</summary>
    public static async Task<Task<HttpResponseMessage>> HangAsync(DashboardApplication application, int milliseconds = 60_000)
    {
        var begun = Path.Combine(Path.GetTempPath(), $"weir-begun-{Guid.NewGuid():N}");
        var call = application.Client.PostAsync(new Uri($"/Faulty/Hang?begun={Uri.EscapeDataString(begun)}&milliseconds={milliseconds}", UriKind.Relative), null, Ct);
        await UntilAsync(() => Task.FromResult(File.Exists(begun)), static exists => exists);
        File.Delete(begun);
        return call;
    }

    /// <summary>The next event of a stream, or the next one of a kind; the kind is empty at its end.</summary>
    public static async Task<(string Kind, string Id, JsonElement Data)> NextAsync(StreamReader reader, string? of = null)
    {
        while (true)
        {
            var (kind, id, data) = ("", "", default(JsonElement));
            string? line;
            while ((line = await reader.ReadLineAsync(Ct)) is { Length: > 0 })
            {
                switch (line.Split(": ", 2))
                {
                    case ["event", var value]:
                        kind = value;
                        break;
                    case ["id", var value]:
                        id = value;
                        break;
                    case ["data", var value]:
                        data = JsonElement.Parse(value);
                        break;
                }
            }

            if (of is null || kind == of || line is null)
            {
                return (kind, id, data);
            }
        }
    }

    /// <summary>Asks until an object is found, for a minute at most.</summary>
    public static Task<JsonElement> FindAsync(Func<Task<JsonElement>> find) => UntilAsync(find, static found => found.ValueKind == JsonValueKind.Object);

    /// <summary>Asks until it is what is waited for, for a minute at most.</summary>
    public static async Task<T> UntilAsync<T>(Func<Task<T>> find, Func<T, bool> isFound)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            var found = await find();
            if (isFound(found))
            {
                return found;
            }

            Assert.True(Stopwatch.GetElapsedTime(began) < Longest, "It is not there within a minute.");
            await Task.Delay(20, Ct);
        }
    }
}
