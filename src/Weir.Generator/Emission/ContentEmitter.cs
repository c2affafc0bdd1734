using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how content, bytes of any length or files of a form, arrives in a worker, and how it is sent there.</summary>
internal static class ContentEmitter
{
    private const string Bytes = "global::Weir.Runtime.ContentItems";
    private const string Files = "global::Weir.Runtime.FormFiles";
    private const string Token = "global::System.Threading.CancellationToken cancellationToken";

    public static void Write(SourceWriter code, ParameterModel content)
    {
        var name = JsonCode.Quote(content.WireName);
        if (KeepsReader(content))
        {
            code.Line("private global::Weir.Runtime.ItemReader? _content;");
            code.Line();
            code.Line("public override void TakeItems(global::Weir.Runtime.ItemReader items) => _content = items;");
            code.Line();
            code.Line($"public override async global::System.Threading.Tasks.ValueTask OpenContentAsync({Token}) =>");
            code.Line($"    {content.Field} = await {Files}.{(content.IsOptional ? "ReceiveOrNullAsync" : "ReceiveAsync")}(_content!, {name}, cancellationToken).ConfigureAwait(false);");
        }
        else
        {
            code.Line($"public override void TakeItems(global::Weir.Runtime.ItemReader items) => {content.Field} = {Receive(content, name)};");
        }

        code.Line();
        code.Line($"public override global::Weir.Runtime.ItemSource OpenItems({Token}) => {(content.Source == "File" ? Files : Bytes)}.Send({content.Field}, cancellationToken);");
        code.Line();
    }

    /// <summary>Lets a call that is used again not keep where its content arrived.</summary>
    public static void Clear(SourceWriter code, ParameterModel content)
    {
        if (KeepsReader(content))
        {
            code.Line("_content = null;");
        }
    }

    private static bool KeepsReader(ParameterModel content) => content is { Source: "File", IsFileList: false };

    private static string Receive(ParameterModel content, string name) => content switch
    {
        { Source: "File" } => $"{Files}.ReceiveList(items, {name})",
        { Value.CoreType: "global::System.IO.Pipelines.PipeReader" } => $"{Bytes}.ReceivePipe(items)",
        _ => $"{Bytes}.ReceiveStream(items)",
    };
}
