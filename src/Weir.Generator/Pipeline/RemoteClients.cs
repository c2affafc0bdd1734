using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Weir.Generator.Emission;
using Weir.Generator.Model;
using Weir.Generator.Parsing;
using Weir.Generator.Parsing.Services;

namespace Weir.Generator.Pipeline;

/// <summary>The steps that write clients, in a project that references Weir.Client; without it they find nothing.</summary>
internal static class RemoteClients
{
    public static IncrementalValuesProvider<GeneratedFile> Files(IncrementalGeneratorInitializationContext context)
    {
        var assembly = context.CompilationProvider.Select(static (compilation, _) => Assembly(compilation)).WithTrackingName(StepNames.ClientAssembly);
        var own = context.SyntaxProvider.ForAttributeWithMetadataName(
                "Weir.ServiceAttribute",
                static (node, _) => node is InterfaceDeclarationSyntax,
                static (syntax, cancellationToken) => RemoteClientParser.FormOf(syntax.SemanticModel.Compilation) == ClientForm.None
                    ? null
                    : RemoteClientParser.Parse(syntax.SemanticModel.Compilation, (INamedTypeSymbol)syntax.TargetSymbol, cancellationToken))
            .Where(static one => one is not null)
            .Select(static (one, _) => one!)
            .ToArray();
        var referenced = context.CompilationProvider.Select(static (compilation, cancellationToken) => RemoteClientParser.FormOf(compilation) == ClientForm.None
            ? default
            : RemoteClientParser.OfReferences(compilation, cancellationToken).ToList().ToEquatableArray());
        var clients = own.Combine(referenced).Select(static (pair, _) => Distinct(pair.Left.Concat(pair.Right))).WithTrackingName(StepNames.Clients);
        return clients.Combine(assembly)
            .SelectMany(static (pair, cancellationToken) => pair.Right.Form == ClientForm.None || pair.Left.Count == 0 ? [] : Write(pair.Left, pair.Right, cancellationToken))
            .WithTrackingName(StepNames.ClientText);
    }

    private static IEnumerable<GeneratedFile> Write(EquatableArray<RemoteClientModel> clients, ClientAssembly assembly, CancellationToken cancellationToken)
    {
        yield return new GeneratedFile("Clients.g.cs", RemoteClientsEmitter.Write(assembly.Namespace, clients, assembly.Form, assembly.JsonContext, assembly.DeclaresInitializer));
        var files = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var client in clients)
        {
            // As for types.
            var file = $"Client.{client.Identifier}";
            while (!files.Add(file))
            {
                file += "_";
            }

            yield return new GeneratedFile(file + ".g.cs", RemoteClientEmitter.Write(assembly.Namespace, client, assembly.Form, cancellationToken));
        }

        foreach (var type in TypeSet.Of(clients.SelectMany(static one => one.Types)).Where(one => assembly.Form == ClientForm.Generated || one.Type is EnumModel))
        {
            yield return new GeneratedFile("Client" + type.File, TypeEmitter.Write(assembly.Namespace, type.Type, isClient: true));
        }
    }

    private static EquatableArray<RemoteClientModel> Distinct(IEnumerable<RemoteClientModel> all)
    {
        var names = new HashSet<string>();
        return all.Where(one => names.Add(one.Identifier)).ToEquatableArray();
    }

    private static ClientAssembly Assembly(Compilation compilation)
    {
        var form = RemoteClientParser.FormOf(compilation);
        var context = compilation.Assembly.Weir("WeirJsonAttribute")?.ConstructorArguments.FirstOrDefault().Value as ITypeSymbol;
        return new ClientAssembly(
            compilation is CSharpCompilation { LanguageVersion: < LanguageVersion.CSharp9 } ? ClientForm.None : form,
            Naming.AssemblyNamespace(compilation.AssemblyName ?? "") + ".Clients",
            context is null ? null : TypeNames.ForCode(context),
            form != ClientForm.None && compilation.GetTypeByMetadataName("System.Runtime.CompilerServices.ModuleInitializerAttribute") is null);
    }
}

/// <summary>What clients need to know about the compilation.</summary>
/// <param name="Form">What their code may use.</param>
/// <param name="Namespace">Where they are.</param>
/// <param name="JsonContext">The class that <c>[assembly: WeirJson]</c> names; <c>null</c> without one.</param>
/// <param name="DeclaresInitializer">Whether the framework has no attribute for module initializers.</param>
internal sealed record ClientAssembly(ClientForm Form, string Namespace, string? JsonContext, bool DeclaresInitializer);
