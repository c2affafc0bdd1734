using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the file of one exchanged type.</summary>
internal static class TypeEmitter
{
    public static string Write(string @namespace, TypeModel model, bool isClient = false)
    {
        var code = SourceWriter.File();
        if (isClient)
        {
            // C# 9 has no namespace for a whole file.
            code.Block($"namespace {@namespace}", () => Write(code, model, isClient));
        }
        else
        {
            code.Line($"namespace {@namespace};");
            code.Line();
            Write(code, model, isClient);
        }

        return code.ToString();
    }

    private static void Write(SourceWriter code, TypeModel model, bool isClient)
    {
        if (model is EnumModel enumModel)
        {
            EnumEmitter.Write(code, enumModel, isClient);
        }
        else if (model is ValidatorModel validator)
        {
            ValidationEmitter.Write(code, validator);
        }
        else
        {
            ObjectEmitter.Write(code, (ObjectModel)model);
        }
    }
}
