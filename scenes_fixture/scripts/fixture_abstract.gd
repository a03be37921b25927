@abstract
class_name FixtureAbstract
extends Node
## A project class of which no node can be made.
