using System.CommandLine;
using System.Globalization;
using Weir.Cli.Clients.TypeScript;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Clients;

/// <summary><c>weir client</c>.</summary>
internal static class ClientCommand
{
    private const string Help = """
        Writes a TypeScript client of services: one file without dependencies, for browsers and Node.

        The services are those of a running server with MapWeirCatalog, or of a built assembly, which is read and not run. The file is replaced only if it changes.

        Exit code 0: the file is there; 2: an input is wrong.
        """;

    public static Command Create(CommandConsole console)
    {
        var from = new Option<string>("--from") { Description = "The URL of a server or of its catalog, or the .dll of an assembly with services or contracts.", HelpName = "URL|DLL", Required = true };
        var output = new Option<string?>("--out", "-o") { Description = "The file to write; standard output if it is not given.", HelpName = "FILE.ts" };
        var headers = new Option<string[]>("--header", "-H") { Description = "A header of the request for the catalog; may be repeated.", HelpName = "NAME: VALUE" };
        var command = new Command("client", Help) { from, output, headers };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var file = parsed.GetValue(output);
            if (file is not null && !file.EndsWith(".ts", StringComparison.OrdinalIgnoreCase))
            {
                throw new InputException($"--out is '{file}'; clients are written in TypeScript: choose a name that ends in .ts.");
            }

            var services = await Catalog.ReadAsync(parsed.GetRequiredValue(from), parsed.GetValue(headers) ?? [], console, cancellationToken);
            var text = TypeScriptClient.Write(services);
            if (file is null)
            {
                await console.Out.WriteAsync(text.AsMemory(), cancellationToken);
                return ExitCodes.Success;
            }

            var path = console.PathOf(file);
            var isSame = File.Exists(path) && await File.ReadAllTextAsync(path, cancellationToken) == text;
            if (!isSame)
            {
                await File.WriteAllTextAsync(path, text, cancellationToken);
            }

            await console.Error.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"weir: {file} {(isSame ? "has" : "now has")} {services.Count} services with {services.Sum(static one => one.Operations.Count)} operations."));
            return ExitCodes.Success;
        });
        return command;
    }
}
