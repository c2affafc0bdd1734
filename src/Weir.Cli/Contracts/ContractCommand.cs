using System.CommandLine;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary><c>weir contract accept</c>.</summary>
internal static class ContractCommand
{
    private const string FileName = "weir.contract.json";

    private const string Help = """
        Writes weir.contract.json: the contract that callers of a project are built with.

        While the file is beside the project, a change that breaks those callers is the build error WEIR1053. Commit the file. --project builds the project without that check;
        --assembly reads one that is built already.

        Exit code 0: the file is there; 1: the project does not build; 2: an input is wrong.
        """;

    public static Command Create(CommandConsole console)
    {
        var project = new Option<string?>("--project", "-p") { Description = "The project, or its folder; the one in this folder if neither this nor --assembly is given.", HelpName = "CSPROJ" };
        var framework = new Option<string?>("--framework", "-f") { Description = "The framework to build, of a project with several.", HelpName = "TFM" };
        var assembly = new Option<string?>("--assembly") { Description = "A built assembly, which is read and not run.", HelpName = "DLL" };
        var output = new Option<string?>("--out", "-o") { Description = $"The file to write; {FileName} beside the project, or in this folder, if it is not given.", HelpName = "FILE" };
        var accept = new Command("accept", Help) { project, framework, assembly, output };
        accept.SetAction(async (parsed, cancellationToken) =>
        {
            var (projectName, assemblyName) = (parsed.GetValue(project), parsed.GetValue(assembly));
            if (assemblyName is not null && (projectName ?? parsed.GetValue(framework)) is not null)
            {
                throw new InputException("--assembly is given beside --project or --framework; choose a built assembly, or a project to build.");
            }

            var folder = console.Folder;
            if (assemblyName is null)
            {
                var file = ProjectOf(projectName ?? ".", console);
                folder = Path.GetDirectoryName(file)!;
                assemblyName = await ProjectBuild.RunAsync(file, parsed.GetValue(framework), console, cancellationToken);
                if (assemblyName is null)
                {
                    return ExitCodes.Failure;
                }
            }

            var target = parsed.GetValue(output) is { } name ? console.PathOf(name) : Path.Combine(folder, FileName);
            var (text, count) = Write(AssemblyContracts.Read(assemblyName, console.PathOf(assemblyName)));
            try
            {
                if (SpecialFiles.KindOf(target) is { } kind)
                {
                    throw new InputException($"--out leads to {target}, which is {kind}; name a file.");
                }

                await File.WriteAllTextAsync(target, text, cancellationToken);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                throw new InputException($"{target} cannot be written: {failure.Message}; choose another file with --out.", failure);
            }

            await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: {target} now has the contracts of {count} services; commit it."));
            return ExitCodes.Success;
        });
        return new Command("contract", "What callers of a project rely on.") { accept };
    }

    /// <summary>The file, and how many services it has. What does not matter to callers is left out, so that the file changes only with the contract.</summary>
    internal static (string Text, int Services) Write(IReadOnlyList<string> contracts)
    {
        var services = new JsonArray();
        foreach (var service in contracts.Select(static one => JsonNode.Parse(one)!.AsObject()))
        {
            service.Remove("summary");
            foreach (var operation in service["operations"]!.AsArray().Select(static one => one!.AsObject()))
            {
                operation.Remove("docs");
                operation.Remove("signature");
            }

            services.Add((JsonNode)service);
        }

        // Bounded by the contracts of one assembly.
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            new JsonObject { ["services"] = services }.WriteTo(json);
        }

        return (Encoding.UTF8.GetString(buffer.ToArray()) + "\n", services.Count);
    }

    private static string ProjectOf(string name, CommandConsole console)
    {
        var path = console.PathOf(name);
        if (!Directory.Exists(path))
        {
            return SpecialFiles.KindOf(path) is { } kind ? throw new InputException($"--project '{name}' is {kind}; give a project.")
                : File.Exists(path) ? path
                : throw new InputException($"--project '{name}' does not exist.");
        }

        return Projects(path) switch
        {
            [var only] => only,
            [] => throw new InputException($"'{name}' has no .csproj; give --project or --assembly."),
            _ => throw new InputException($"'{name}' has several projects; give one of them with --project."),
        };
    }

    private static string[] Projects(string folder)
    {
        try
        {
            return Directory.GetFiles(folder, "*.csproj");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"'{folder}' cannot be read: {failure.Message}", failure);
        }
    }
}
