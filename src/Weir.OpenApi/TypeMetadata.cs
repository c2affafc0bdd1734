using Microsoft.AspNetCore.Mvc.ModelBinding;
using Microsoft.AspNetCore.Mvc.ModelBinding.Metadata;

namespace Weir.OpenApi;

/// <summary>What Swashbuckle and NSwag ask about a type. Nothing here is bound by MVC: the rest has the values of a plain type.</summary>
internal sealed class TypeMetadata(Type type) : ModelMetadata(ModelMetadataIdentity.ForType(type))
{
    public override IReadOnlyDictionary<object, object> AdditionalValues { get; } = new Dictionary<object, object>();

    public override string? BinderModelName => null;

    public override Type? BinderType => null;

    public override BindingSource? BindingSource => null;

    public override bool ConvertEmptyStringToNull => false;

    public override string? DataTypeName => null;

    public override string? Description => null;

    public override string? DisplayFormatString => null;

    public override string? DisplayName => null;

    public override string? EditFormatString => null;

    public override ModelMetadata? ElementMetadata => null;

    public override IEnumerable<KeyValuePair<EnumGroupAndName, string>>? EnumGroupedDisplayNamesAndValues => null;

    public override IReadOnlyDictionary<string, string>? EnumNamesAndValues => null;

    public override bool HasNonDefaultEditFormat => false;

    public override bool HideSurroundingHtml => false;

    public override bool HtmlEncode => true;

    public override bool IsBindingAllowed => true;

    public override bool IsBindingRequired => false;

    public override bool IsEnum => ModelType.IsEnum;

    public override bool IsFlagsEnum => false;

    public override bool IsReadOnly => false;

    public override bool IsRequired => false;

    public override ModelBindingMessageProvider ModelBindingMessageProvider { get; } = new DefaultModelBindingMessageProvider();

    public override string? NullDisplayText => null;

    public override int Order => DefaultOrder;

    public override string? Placeholder => null;

    public override ModelPropertyCollection Properties { get; } = new([]);

    public override IPropertyFilterProvider? PropertyFilterProvider => null;

    public override Func<object, object?>? PropertyGetter => null;

    public override Action<object, object?>? PropertySetter => null;

    public override bool ShowForDisplay => true;

    public override bool ShowForEdit => true;

    public override string? SimpleDisplayProperty => null;

    public override string? TemplateHint => null;

    public override bool ValidateChildren => false;

    public override IReadOnlyList<object> ValidatorMetadata => [];
}
