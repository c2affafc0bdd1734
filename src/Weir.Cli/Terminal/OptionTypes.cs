using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Weir.Cli.Terminal;

/// <summary>Options whose errors name the option, its value and what to choose.</summary>
internal static class OptionTypes
{
    /// <summary>A whole number within bounds.</summary>
    public static Option<int?> Number(string name, string description, int least, int most, params string[] aliases) => new(name, aliases)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => int.TryParse(Text(result), NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= least && number <= most
            ? number
            : Refuse<int?>(result, $"a whole number from {least.ToString(CultureInfo.InvariantCulture)} to {most.ToString(CultureInfo.InvariantCulture)}"),
    };

    /// <summary>A time of more than nothing: 500ms, 10s, 2m, 1h.</summary>
    public static Option<TimeSpan?> Time(string name, string description, int mostHours, params string[] aliases) => new(name, aliases)
    {
        Description = description,
        HelpName = "TIME",
        CustomParser = result => Durations.TryParse(Text(result), out var time) && time.TotalHours <= mostHours ? time : Refuse<TimeSpan?>(result, $"a time such as 500ms, 10s or 2m, at most {mostHours.ToString(CultureInfo.InvariantCulture)}h"),
    };

    private static string Text(ArgumentResult result) => result.Tokens.Count == 0 ? "" : result.Tokens[^1].Value;

    private static T? Refuse<T>(ArgumentResult result, string choice)
    {
        var name = result.Parent is OptionResult { IdentifierToken: { } token } ? token.Value : result.Argument.Name;
        result.AddError($"{name} is '{Text(result)}'; choose {choice}.");
        return default;
    }
}
