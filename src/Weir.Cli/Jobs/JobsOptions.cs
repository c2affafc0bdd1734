using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>What every command of <c>weir jobs</c> takes: the application first.</summary>
internal sealed class JobsOptions
{
    private readonly Argument<string> _address = new("URL") { Description = "The application, with what its paths begin with if that is not '/'." };
    private readonly Option<string[]> _headers = new("--header", "-H") { Description = "A header of each request; may be repeated.", HelpName = "NAME: VALUE" };
    private readonly Option<string?> _path = new("--path") { Description = "Where MapWeirJobs maps the jobs; '/$jobs' if it is not given.", HelpName = "/PATH" };
    private readonly Option<bool> _json = new("--json") { Description = "Prints what the server sent, and a problem as JSON on standard output." };

    /// <summary>A command that takes them, and what is its own.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="help">What it does.</param>
    /// <param name="own">Its own arguments and options.</param>
    public Command Create(string name, string help, params ReadOnlySpan<Symbol> own)
    {
        var command = new Command(name, help) { _address };
        OptionTypes.Add(command, own);
        command.Add(_headers);
        command.Add(_path);
        command.Add(_json);
        return command;
    }

    /// <summary>What was given.</summary>
    public JobsSettings Of(ParseResult parsed) => new()
    {
        Address = parsed.GetRequiredValue(_address),
        Headers = parsed.GetValue(_headers) ?? [],
        Path = parsed.GetValue(_path),
        IsJson = parsed.GetValue(_json),
    };

    /// <summary>The id of a job.</summary>
    public static Argument<string> Id() => new("ID") { Description = "The job's id." };

    /// <summary>Reads the id of a job as it was typed.</summary>
    /// <param name="name">What messages call it.</param>
    /// <param name="typed">As it was typed.</param>
    /// <exception cref="InputException">It is none.</exception>
    public static Guid IdOf(string name, string typed) =>
        Guid.TryParse(typed, out var id) ? id : throw new InputException($"{name} is '{SafeText.Cut(typed, 200)}', which is no id of a job; one looks like 0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7081.");
}
