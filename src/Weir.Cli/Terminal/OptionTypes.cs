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

    /// <summary>Adds arguments and options to a command, in their order.</summary>
    public static void Add(Command command, params ReadOnlySpan<Symbol> symbols)
    {
        foreach (var symbol in symbols)
        {
            switch (symbol)
            {
                case Argument argument:
                    command.Add(argument);
                    break;
                case Option option:
                    command.Add(option);
                    break;
            }
        }
    }

    /// <summary>An empty value of any option is an error that names it: a script meant to give one.</summary>
    public static void RefuseEmpty(Command command)
    {
        foreach (var option in command.Options.Where(static option => option is Option<string?> or Option<string[]>))
        {
            option.Validators.Add(result =>
            {
                if (result.Tokens.Any(static token => string.IsNullOrWhiteSpace(token.Value)))
                {
                    result.AddError($"{result.IdentifierToken?.Value ?? option.Name} is empty; give a value, or leave it out.");
                }
            });
        }

        foreach (var child in command.Subcommands)
        {
            RefuseEmpty(child);
        }
    }

    private static string Text(ArgumentResult result) => result.Tokens.Count == 0 ? "" : result.Tokens[^1].Value;

    private static T? Refuse<T>(ArgumentResult result, string choice)
    {
        var name = result.Parent is OptionResult { IdentifierToken: { } token } ? token.Value : result.Argument.Name;
        result.AddError($"{name} is '{Text(result)}'; choose {choice}.");
        return default;
    }
}
