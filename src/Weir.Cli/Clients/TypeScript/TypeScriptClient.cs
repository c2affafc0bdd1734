using Weir.Cli.Contracts;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Writes a client of services as one TypeScript file without dependencies.</summary>
internal static class TypeScriptClient
{
    private const string Runtime = "Runtime.ts";
    private const string Jobs = "Jobs.ts";

    /// <summary>The file.</summary>
    public static string Write(IReadOnlyList<ServiceContract> services)
    {
        var ordered = services.OrderBy(static one => one.Name, StringComparer.Ordinal).ToList();
        var hasJobs = ordered.Exists(static one => one.HasJobs);
        var runtime = Read(Runtime) + (hasJobs ? Read(Jobs) : "");
        var names = new TypeScriptNames(runtime);
        var classes = ordered.ConvertAll(one => names.Take(TypeScriptNames.Identifier(one.Name, isUpper: true) + "Client"));
        var jobs = ordered.ConvertAll(one => one.HasJobs ? new TypeScriptJobs(one, names) : null);
        var types = new TypeScriptTypes(ordered, names);
        var code = new TypeScriptText();
        code.Line("// Written by 'weir client' from the contracts of services; a change of this file is lost when it is written again.");
        code.Line("/* eslint-disable */");
        code.Line();
        code.Line("// ---- Types ---------------------------------------------------------------------------------------------------------");
        types.Write(code);
        code.Line();
        code.Line("// ---- Services ------------------------------------------------------------------------------------------------------");
        for (var index = 0; index < ordered.Count; index++)
        {
            code.Line();
            new TypeScriptService(code, types, ordered[index], classes[index], jobs[index]).Write();
        }

        code.Line();
        var members = new HashSet<string>(StringComparer.Ordinal);
        var properties = ordered.ConvertAll(one => Distinct(members, TypeScriptNames.Identifier(one.Name, isUpper: false)));
        code.Comment("All services.");
        code.Block("export interface Client", () =>
        {
            for (var index = 0; index < ordered.Count; index++)
            {
                code.Comment(ordered[index].Summary ?? "");
                code.Line($"readonly {properties[index]}: {classes[index]};");
            }
        });
        code.Line();
        code.Comment("A client of all services. It opens no connection before the first call.");
        code.Block("export function createClient(options: ClientOptions = {}): Client", () =>
        {
            code.Line("const connection = new WeirConnection(options, namedTypes, contracts);");
            if (hasJobs)
            {
                code.Line("const jobs = new JobConnection(options, namedTypes, contracts);");
            }

            code.Line($"return {{ {string.Join(", ", properties.Select((property, index) => $"{TypeScriptNames.Property(property)}: new {classes[index]}(connection{(jobs[index] is null ? "" : ", jobs")})"))} }};");
        });
        code.Line();
        types.WriteExact(code);
        code.Line();
        code.Comment("What the client was built for: a service that has become something else is noticed.");
        code.Block("const contracts: Contracts =", () => ordered.ForEach(one => code.Line($"{TypeScriptNames.Property(one.Name)}: {TypeScriptContract.Write(one.Json)},")), "};");
        code.Line();
        code.Raw(runtime);
        return code.ToString();
    }

    /// <summary>A name, with a number where an earlier one is equal.</summary>
    internal static string Distinct(HashSet<string> taken, string name)
    {
        var distinct = name;
        for (var number = 2; !taken.Add(distinct); number++)
        {
            distinct = $"{name}{number}";
        }

        return distinct;
    }

    private static string Read(string resource)
    {
        using var stream = typeof(TypeScriptClient).Assembly.GetManifestResourceStream(resource)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
