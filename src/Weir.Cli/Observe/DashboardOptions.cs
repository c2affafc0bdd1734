using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary>What every command that reads a dashboard takes: its address first.</summary>
internal sealed class DashboardOptions
{
    private readonly Argument<string> _address = new("URL") { Description = "The application, with the path of its dashboard if that is not '/weir'." };
    private readonly Option<string[]> _headers = new("--header", "-H") { Description = "A header of each request; may be repeated.", HelpName = "NAME: VALUE" };

    /// <summary>A command that takes them, and what is its own.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="help">What it does.</param>
    /// <param name="own">Its own arguments and options.</param>
    public Command Create(string name, string help, params ReadOnlySpan<Symbol> own)
    {
        var command = new Command(name, help) { _address };
        OptionTypes.Add(command, own);
        command.Add(_headers);
        return command;
    }

    /// <summary>What was given.</summary>
    public Values Of(ParseResult parsed) => new(parsed.GetRequiredValue(_address), parsed.GetValue(_headers) ?? []);

    /// <summary>As they were typed.</summary>
    /// <param name="Address">The URL.</param>
    /// <param name="Headers"><c>Name: value</c>.</param>
    internal sealed record Values(string Address, IReadOnlyList<string> Headers);
}
