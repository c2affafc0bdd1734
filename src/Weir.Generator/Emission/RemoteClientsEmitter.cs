using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes what the clients of an assembly share: their registration when the assembly is loaded, and its serializer.</summary>
internal static class RemoteClientsEmitter
{
    private const string Runtime = "global::Weir.Runtime.";

    public static string Write(string @namespace, EquatableArray<RemoteClientModel> clients, ClientForm form, string? jsonContext, bool declaresInitializer)
    {
        var code = SourceWriter.File();
        code.Block($"namespace {@namespace}", () =>
        {
            code.Block("internal static class Registration", () =>
            {
                code.Line("[global::System.Runtime.CompilerServices.ModuleInitializer]");
                code.Block("internal static void Register()", () =>
                {
                    foreach (var client in clients)
                    {
                        code.Line($"{Runtime}ServiceClients.Register(typeof({client.Contract}), static client => new {client.Class}(client));");
                    }
                });
            });
            code.Line();
            code.Block("internal static class JsonTypes", () => Serializer(code, clients, form, jsonContext));
        });
        if (declaresInitializer)
        {
            code.Line();
            code.Block("namespace System.Runtime.CompilerServices", () =>
            {
                code.Line("[global::System.AttributeUsage(global::System.AttributeTargets.Method, Inherited = false)]");
                code.Block("internal sealed class ModuleInitializerAttribute : global::System.Attribute", static () => { });
            });
        }

        return code.ToString();
    }

    private static void Serializer(SourceWriter code, EquatableArray<RemoteClientModel> clients, ClientForm form, string? jsonContext)
    {
        var enums = clients.SelectMany(static one => one.Types).OfType<EnumModel>().GroupBy(static one => one.Codec).Select(static one => one.First());
        if (form == ClientForm.Serialized)
        {
            var converters = enums.Select(static one => $"new {Runtime}ClientEnumConverter<{one.Type}>({one.Codec}.Instance)");
            code.Line($"internal static readonly {Runtime}ClientSerializer Serializer = new {Runtime}ClientSerializer({string.Join(", ", converters)});");
            return;
        }

        code.Block($"internal static readonly {Runtime}JsonValueSerializer Workers = {Runtime}JsonValueSerializer.ForWorkers(static () => new {Runtime}CatalogJson", () =>
        {
            code.Line($"Resolver = {(jsonContext is null ? Runtime + "ClientJson.Resolver" : jsonContext + ".Default")},");
            code.Block("Converters = new global::System.Text.Json.Serialization.JsonConverter[]", () =>
                code.Lines(enums.Select(static one => $"new {Runtime}ScalarConverter<{one.Type}>({one.Codec}.Instance, {one.Codec}.Instance.Write)")), "},");
        }, "});");
    }
}
