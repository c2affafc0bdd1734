using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the file of one exchanged type.</summary>
internal static class TypeEmitter
{
    public static string Write(string @namespace, TypeModel model)
    {
        var code = SourceWriter.File();
        code.Line($"namespace {@namespace};");
        code.Line();
        if (model is EnumModel enumModel)
        {
            EnumEmitter.Write(code, enumModel);
        }
        else if (model is ValidatorModel validator)
        {
            ValidationEmitter.Write(code, validator);
        }
        else
        {
            ObjectEmitter.Write(code, (ObjectModel)model);
        }

        return code.ToString();
    }
}
