using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using Weir.Cli.Call;
using Weir.Cli.Clients;
using Weir.Cli.Contracts;
using Weir.Cli.Doctor;
using Weir.Cli.Fetch;
using Weir.Cli.Jobs;
using Weir.Cli.Load;
using Weir.Cli.Observe;
using Weir.Cli.Operate;
using Weir.Cli.Terminal;

namespace Weir.Cli;

/// <summary>The tool as a whole. A wrong input is one line on stderr that begins with <c>weir:</c>, and exit code 2.</summary>
internal static class WeirCommandLine
{
    /// <summary>All commands with their options.</summary>
    public static RootCommand CreateRoot(CommandConsole console)
    {
        var root = new RootCommand("Clients, calls, jobs and contracts of services, what an application does and what is wrong in it, many requests at once, load tests that measure from the intended start, and what isolation this machine allows.")
        {
            FetchCommand.Create(console),
            LoadCommand.Create(console),
            CallCommand.Create(console),
            JobsCommand.Create(console),
            ClientCommand.Create(console),
            ContractCommand.Create(console),
            DoctorCommand.Create(console),
        };

        foreach (var command in ObserveCommands.Create(console).Concat(OperateCommands.Create(console)))
        {
            root.Add(command);
        }

        OptionTypes.RefuseEmpty(root);
        return root;
    }

    /// <summary>Runs one.</summary>
    /// <param name="arguments">As they were typed.</param>
    /// <param name="console">What the commands read and write.</param>
    /// <param name="cancellationToken">Fires on Ctrl-C.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(IReadOnlyList<string> arguments, CommandConsole console, CancellationToken cancellationToken)
    {
        var root = CreateRoot(console);

        // '@' begins no file of arguments: it may begin the name of a body.
        var parsed = root.Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Action is ParseErrorAction)
        {
            foreach (var error in parsed.Errors.Select(static error => error.Message).Distinct())
            {
                await console.Error.WriteLineAsync($"weir: {error}");
            }

            await console.Error.WriteLineAsync($"weir: 'weir {NameOf(parsed.CommandResult)}--help' lists what there is.");
            return ExitCodes.WrongInput;
        }

        try
        {
            var configuration = new InvocationConfiguration
            {
                Output = console.Out,
                Error = console.Error,
                EnableDefaultExceptionHandler = false,

                // Program handles signals.
                ProcessTerminationTimeout = null,
            };
            return await parsed.InvokeAsync(configuration, cancellationToken);
        }
        catch (InputException wrong)
        {
            await console.Error.WriteLineAsync($"weir: {wrong.Message}");
            return ExitCodes.WrongInput;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return ExitCodes.Interrupted;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // A disk is full, or nothing reads the output any more.
            await console.Error.WriteLineAsync($"weir: {failure.Message}");
            return ExitCodes.Failure;
        }
        catch (Exception failure) when (failure is not OutOfMemoryException)
        {
            // A fault of the tool, which a server or an input must not make a crash of.
            await console.Error.WriteLineAsync($"weir: this is a fault of weir itself; report it with the command and this line: {failure.GetType().Name}: {failure.Message}");
            return ExitCodes.Failure;
        }
    }

    // With a blank behind it; empty for the tool itself.
    private static string NameOf(CommandResult command) => command.Command is RootCommand ? "" : $"{(command.Parent is CommandResult parent ? NameOf(parent) : "")}{command.Command.Name} ";
}
