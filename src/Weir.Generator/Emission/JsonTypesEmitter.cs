using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes what the serializer has to know about the types of an assembly's operations, and the serializer between host and worker.</summary>
internal static class JsonTypesEmitter
{
    private const string Json = "global::Weir.Runtime.CatalogJson";
    private const string TypeArray = "new global::System.Type[]";

    public static string Write(ApplicationModel application, JsonTypesModel types)
    {
        var code = SourceWriter.File();
        code.Line($"namespace {application.Namespace};");
        code.Line();
        code.Block("internal static class JsonTypes", () =>
        {
            code.Line("internal static readonly global::Weir.Runtime.JsonValueSerializer Workers = global::Weir.Runtime.JsonValueSerializer.ForWorkers(Create);");
            code.Line();
            code.Block($"internal static {Json} Create() => new {Json}", () =>
            {
                if (application.JsonContext is { } context)
                {
                    code.Line($"Resolver = {context}.Default,");
                }

                if (types.Enums.Count > 0)
                {
                    code.Block("Converters = new global::System.Text.Json.Serialization.JsonConverter[]", () =>
                        code.Lines(types.Enums.Select(static one => $"new global::Weir.Runtime.ScalarConverter<{one.Type}>({one.Codec}.Instance, {one.Codec}.Instance.Write)")), "},");
                }

                Types(code, "SerializedTypes = ", types.Serialized);
                Types(code, "AllTypes = static () => ", types.All);
                Types(code, "WorkerTypes = ", types.Workers);
            }, "};");
        });
        return code.ToString();
    }

    private static void Types(SourceWriter code, string target, EquatableArray<string> types)
    {
        if (types.Count > 0)
        {
            code.Block(target + TypeArray, () => code.Lines(types.Select(static one => $"typeof({one})")), "},");
        }
    }
}
