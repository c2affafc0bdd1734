using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>A fetch as it is typed.</summary>
internal static class FetchCommandLine
{
    /// <summary>The command that has these settings, for a POSIX shell.</summary>
    public static string Of(FetchSettings settings)
    {
        var words = new List<string> { "weir", "fetch" };
        words.AddRange(settings.Addresses);
        Add("--input", settings.Input);
        Add("--max", settings.Max.ToString(CultureInfo.InvariantCulture));
        Add("--per-host", settings.PerHost?.ToString(CultureInfo.InvariantCulture));
        Add("--timeout", string.Create(CultureInfo.InvariantCulture, $"{settings.Timeout.TotalMilliseconds}ms"));
        Add("--output", settings.Output);
        Add("--resume", settings.Resume);
        if (settings.IsInsecure)
        {
            words.Add("--insecure");
        }

        if (settings.Json)
        {
            words.Add("--json");
        }

        return string.Join(' ', words.Select(ShellWord.Of));

        void Add(string option, string? value)
        {
            if (value is not null)
            {
                words.AddRange([option, value]);
            }
        }
    }
}
