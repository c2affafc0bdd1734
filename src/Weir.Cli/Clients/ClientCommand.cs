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
        var prefix = new Option<string?>("--prefix") { Description = "What the paths begin with, where MapWeir maps services several times: /v2.", HelpName = "/PREFIX" };
        var command = new Command("client", Help) { from, output, headers, prefix };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var file = parsed.GetValue(output);
            if (file is not null && !file.EndsWith(".ts", StringComparison.OrdinalIgnoreCase))
            {
                throw new InputException($"--out is '{file}'; clients are written in TypeScript: choose a name that ends in .ts.");
            }

            // The folder is looked at first: a server is not asked for what cannot be kept.
            var path = file is null ? "" : console.PathOf(file);
            if (file is not null && SpecialFiles.KindOf(path) is { } kind)
            {
                throw new InputException($"--out is '{file}', which is {kind}; name a file.");
            }

            var chosen = parsed.GetValue(prefix) is { } typed ? PathPrefix.Parse(typed) : null;
            var (services, _) = await Catalog.ReadAsync(parsed.GetRequiredValue(from), parsed.GetValue(headers) ?? [], chosen, console, cancellationToken);
            if (services.FirstOrDefault(static one => one.Prefixes.Count > 1) is { } ambiguous)
            {
                throw Catalog.Ambiguous(ambiguous);
            }

            var text = Write(parsed.GetRequiredValue(from), services);
            if (file is null)
            {
                await console.Out.WriteAsync(text.AsMemory(), cancellationToken);
                return ExitCodes.Success;
            }

            bool isSame;
            try
            {
                isSame = File.Exists(path) && await File.ReadAllTextAsync(path, cancellationToken) == text;
                if (!isSame)
                {
                    await File.WriteAllTextAsync(path, text, cancellationToken);
                }
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                throw new InputException($"--out '{file}' cannot be written: {failure.Message}", failure);
            }

            await console.Error.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"weir: {file} {(isSame ? "has" : "now has")} {services.Count} services with {services.Sum(static one => one.Operations.Count)} operations."));
            return ExitCodes.Success;
        });
        return command;
    }

    // What a server says about its types may contradict itself.
    private static string Write(string from, IReadOnlyList<ServiceContract> services)
    {
        try
        {
            return TypeScriptClient.Write(services);
        }
        catch (Exception wrong) when (wrong is KeyNotFoundException or InvalidOperationException or ArgumentException)
        {
            throw new InputException($"{from} has contracts that no client can be written from: {wrong.Message}", wrong);
        }
    }
}
